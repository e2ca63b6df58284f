import type { Reference } from '../contents';
import { type Html, html } from '../html';
import type { Heading } from '../render-markdown';
import type { Call } from './curl';
import { inline, paragraphs } from './markdown';
import { type OpenApiDocument, type Operation, nameOf } from './open-api-document';
import { eventSection, operationSection } from './operation';
import { namesIn, schemaContent } from './schema';

/** A page of the API reference. */
export interface ReferencePage {
  /** The last part of its path, `/docs/reference/{reference}/{name}`; empty for the first page. */
  name: string;
  title: string;
  summary: string;
  headings: readonly Heading[];
  content: Html;
}

interface Group {
  name: string;
  title: string;
  description: string;
  calls: Call[];
}

/**
 * The pages of an OpenAPI document: one with all operations, one for each tag, one for the events, and one for the
 * types that the others link to.
 * @param path the path of the first page, without a slash at its end
 */
export function referencePages(
  reference: Reference,
  document: OpenApiDocument,
  { path, address }: { path: string; address: string },
): ReferencePage[] {
  const groups = groupsOf(document);
  const events = Object.entries(document.webhooks);
  const types = Object.keys(document.components.schemas);
  return [
    {
      name: '',
      title: reference.title,
      summary: reference.summary,
      headings: [
        ...groups.map(({ name, title }) => ({ id: `group-${name}`, text: title })),
        ...(events.length > 0 ? [{ id: 'group-events', text: 'Events' }] : []),
        { id: 'authentication', text: 'Authentication' },
      ],
      content: firstPage(reference, document, { path, address, groups }),
    },
    ...groups.map((group) => groupPage(reference, document, group, path)),
    ...(events.length > 0 ? [eventPage(reference, document, path)] : []),
    ...(types.length > 0 ? [typePage(reference, document)] : []),
  ];
}

function groupsOf(document: OpenApiDocument): Group[] {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]): Call[] => (operation ? [{ method, path, operation }] : [])),
  );
  const described = new Map(document.tags.map(({ name, description }) => [name, description]));
  const titles = new Set([...described.keys(), ...calls.map(({ operation }) => operation.tags[0])]);
  return [...titles]
    .map((title) => ({
      name: title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
      title,
      description: described.get(title) ?? '',
      calls: calls.filter(({ operation }) => operation.tags[0] === title),
    }))
    .filter((group) => group.calls.length > 0);
}

function firstPage(
  reference: Reference,
  document: OpenApiDocument,
  { path, address, groups }: { path: string; address: string; groups: readonly Group[] },
): Html {
  const events = Object.entries(document.webhooks);
  const schemes = Object.entries(document.components.securitySchemes);
  return html`<h1>${reference.title}</h1>
    ${paragraphs(document.info.description)}
    <p class="document">
      Base URL: <code>${document.servers[0].url}</code><br />OpenAPI document: <a href="${address}">${address}</a>
    </p>
    <p id="filter" hidden>
      <label for="words">Filter the operations</label>
      <input id="words" type="search" autocomplete="off" spellcheck="false" /> <span role="status"></span>
    </p>
    ${groups.map(
      ({ name, title, description, calls }) =>
        html`<section class="group" id="group-${name}">
          <h2><a href="${path}/${name}">${title}</a></h2>
          ${description && html`<p>${inline(description)}</p>`}
          <ul class="operations">
            ${calls.map(
              (call) =>
                html`<li>
                  <span class="method ${call.method}">${call.method.toUpperCase()}</span> <code>${call.path}</code>
                  <a href="${path}/${name}#${call.operation.operationId}">${call.operation.summary}</a>
                </li>`,
            )}
          </ul>
        </section>`,
    )}
    ${
      events.length > 0 &&
      html`<section class="group" id="group-events">
        <h2><a href="${path}/events">Events</a></h2>
        <p>Sent to the webhook endpoints of the application.</p>
        <ul class="operations">
          ${events.map(
            ([name, { post }]) =>
              html`<li>
                <code>${name}</code> <a href="${path}/events#${post.operationId}">${inline(post.summary)}</a>
              </li>`,
          )}
        </ul>
      </section>`
    }
    <h2 id="authentication">Authentication</h2>
    ${
      schemes.length === 0
        ? html`<p>None.</p>`
        : html`<ul class="fields">
            ${schemes.map(
              ([name, { type, scheme, in: location, name: header, description }]) =>
                html`<li>
                  <code>${name}</code>
                  <span>${type === 'http' ? `HTTP ${scheme}` : `${location} ${header}`}</span
                  >${description && html`<div>${inline(description)}</div>`}
                </li>`,
            )}
          </ul>`
    }`;
}

function groupPage(reference: Reference, document: OpenApiDocument, group: Group, path: string): ReferencePage {
  const { name, title, description, calls } = group;
  return {
    name,
    title: `${title} - ${reference.title}`,
    summary: description,
    ...sectionsWithTypes(
      calls.map(({ operation }) => ({ operation, title: operation.summary })),
      document,
      path,
      (linkOf) =>
        html`<h1>${title}</h1>
          ${description && paragraphs(description)}
          ${calls.map((call) => operationSection(call, document, { linkOf, firstPage: path }))}`,
    ),
  };
}

function eventPage(reference: Reference, document: OpenApiDocument, path: string): ReferencePage {
  const events = Object.entries(document.webhooks);
  return {
    name: 'events',
    title: `Events - ${reference.title}`,
    summary: 'What the service sends to webhook endpoints.',
    ...sectionsWithTypes(
      events.map(([title, { post }]) => ({ operation: post, title })),
      document,
      path,
      (linkOf) =>
        html`<h1>Events</h1>
          ${events.map(([name, { post }]) => eventSection(name, post, linkOf))}`,
    ),
  };
}

/**
 * Operations, the types of their bodies, and the headers of their responses. Further types are on the page of types.
 */
function sectionsWithTypes(
  sections: readonly { operation: Operation; title: string }[],
  document: OpenApiDocument,
  path: string,
  contentOf: (linkOf: (name: string) => string) => Html,
): Pick<ReferencePage, 'headings' | 'content'> {
  const names = namesOfBodies(sections.map(({ operation }) => operation)).filter(
    (name) => document.components.schemas[name],
  );
  const linkOf = (name: string): string => `${names.includes(name) ? '' : `${path}/types`}#type-${name}`;
  const headers = new Map(
    sections
      .flatMap(({ operation }) => Object.values(operation.responses))
      .flatMap((response) => Object.entries(response.headers)),
  );
  return {
    headings: [
      ...sections.map(({ operation, title }) => ({ id: operation.operationId, text: title })),
      ...(names.length > 0 ? [{ id: 'types', text: 'Types' }] : []),
      ...(headers.size > 0 ? [{ id: 'headers', text: 'Headers of responses' }] : []),
    ],
    content: html`${contentOf(linkOf)}
    ${
      names.length > 0 &&
      html`<h2 id="types">Types</h2>
        ${names.map((name) => typeSection(name, document, linkOf))}`
    }
    ${
      headers.size > 0 &&
      html`<h2 id="headers">Headers of responses</h2>
        <ul class="fields">
          ${[...headers].map(
            ([name, { description }]) =>
              html`<li><code>${name}</code>${description && html`<div>${inline(description)}</div>`}</li>`,
          )}
        </ul>`
    }`,
  };
}

/** The names of the types of requests and responses; where one is only a choice, the types that can be chosen, too. */
function namesOfBodies(operations: readonly Operation[]): string[] {
  const schemas = operations.flatMap(({ requestBody, responses }) =>
    [requestBody, ...Object.values(responses)].flatMap((body) =>
      Object.values(body?.content ?? {}).map(({ schema }) => schema),
    ),
  );
  return [...new Set(schemas.flatMap((schema) => (schema?.properties ? [] : namesIn(schema))))];
}

function typePage(reference: Reference, document: OpenApiDocument): ReferencePage {
  const names = Object.keys(document.components.schemas).sort();
  return {
    name: 'types',
    title: `Types - ${reference.title}`,
    summary: 'The objects of requests and responses.',
    headings: names.map((name) => ({ id: `type-${name}`, text: name })),
    content: html`<h1>Types</h1>
      ${names.map((name) => typeSection(name, document, (one) => `#type-${one}`))}`,
  };
}

function typeSection(name: string, document: OpenApiDocument, linkOf: (name: string) => string): Html {
  const schema = document.components.schemas[name] ?? {};
  const alias = nameOf(schema);
  return html`<section>
    <h3 id="type-${name}">${name}</h3>
    ${alias === undefined ? schemaContent(schema, linkOf) : html`<p><a href="${linkOf(alias)}">${alias}</a></p>`}
  </section>`;
}
