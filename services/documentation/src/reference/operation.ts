import { type Html, html } from '../html';
import { type Call, curlCommand } from './curl';
import { examplesOf } from './example-of';
import { codeBlock, inline, paragraphs } from './markdown';
import type { Content, OpenApiDocument, Operation, Schema } from './open-api-document';
import { type LinkOf, fieldList, schemaContent, typeOf } from './schema';

/** A section with one operation: its request, its responses, and a command that sends it. */
export function operationSection(
  call: Call,
  document: OpenApiDocument,
  { linkOf, firstPage }: { linkOf: LinkOf; firstPage: string },
): Html {
  const { method, path, operation } = call;
  return html`<section class="operation">
    ${heading(operation)} ${endpoint(method, new URL(document.servers[0].url).pathname.replace(/\/$/, '') + path)}
    ${description(operation)} ${authentication(operation, document, firstPage)}
    ${parameters(operation, linkOf, method === 'get')} ${requestBody(operation, linkOf)}
    <h3>Example</h3>
    ${codeBlock(curlCommand(call, document), 'sh')} ${responses(operation, linkOf)}
  </section>`;
}

/** A section with an event that the service sends to the endpoints of an application. */
export function eventSection(name: string, operation: Operation, linkOf: LinkOf): Html {
  return html`<section class="operation">
    ${heading(operation, name)} ${endpoint('post', 'to your endpoint')}
    <p>${inline(operation.summary)}.</p>
    ${description(operation)} ${parameters(operation, linkOf, true)} ${requestBody(operation, linkOf)}
    ${responses(operation, linkOf)}
  </section>`;
}

/** The method and the path of an operation. */
function endpoint(method: string, path: string): Html {
  return html`<p class="endpoint">
    <span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code>
  </p>`;
}

function heading({ operationId, summary, deprecated }: Operation, title = summary): Html {
  return html`<h2 id="${operationId}">
    <a class="anchor" href="#${operationId}" aria-label="Link to this section"></a>${title}${
      deprecated && html` <em>deprecated</em>`
    }
  </h2>`;
}

function description({ summary, description: text }: Operation): Html | false {
  return text !== undefined && text !== `${summary}.` && paragraphs(text);
}

function authentication(operation: Operation, document: OpenApiDocument, firstPage: string): Html {
  const alternatives = operation.security ?? document.security;
  const names = alternatives.map((alternative) =>
    Object.keys(alternative).map((name, index) => html`${index > 0 && ' and '}<code>${name}</code>`),
  );
  const list = names.map((name, index) => html`${index > 0 && ', or '}${name.length === 0 ? 'none' : name}`);
  return html`<p><a href="${firstPage}#authentication">Authentication</a>: ${names.length === 0 ? 'none' : list}.</p>`;
}

function parameters({ parameters: all }: Operation, linkOf: LinkOf, isOpen: boolean): Html | false {
  if (all.length === 0) return false;
  const fields = all.map(({ name, in: location, description, required, deprecated, schema }) => ({
    name,
    schema,
    location,
    description,
    isRequired: required,
    isDeprecated: deprecated,
  }));
  // The parameters of FHIR that begin with an underscore are the same everywhere.
  const rank = ({ name, isRequired }: (typeof fields)[number]): number =>
    isRequired ? 0 : name.startsWith('_') ? 2 : 1;
  fields.sort((one, other) => rank(one) - rank(other));
  return html`<h3>Parameters</h3>
    ${fieldList(fields, linkOf, { isOpen, noun: 'parameters' })}`;
}

function requestBody({ requestBody: body }: Operation, linkOf: LinkOf): Html | false {
  if (!body) return false;
  return html`<h3>Body</h3>
    <p>${body.required ? 'Required.' : 'Optional.'} ${body.description && inline(body.description)}</p>
    ${contentOf(body.content, linkOf)} ${exampleList(body.content, new Set())}`;
}

/** What a body contains, for each schema with the media types that have it. */
function contentOf(content: Content, linkOf: LinkOf): Html {
  return html`${bySchema(content).map(({ types, schema }) => {
    const isNamed = schema.$ref !== undefined || (!schema.properties && !schema.oneOf && !schema.anyOf);
    const names = types.map((type, index) => html`${index > 0 && ', '}<code>${type}</code>`);
    return html`<p>${names}${isNamed && html`: ${typeOf(schema, linkOf)}`}</p>
      ${!isNamed && schemaContent(schema, linkOf, false)}`;
  })}`;
}

function bySchema(content: Content): { types: string[]; schema: Schema }[] {
  const groups = new Map<string, { types: string[]; schema: Schema }>();
  for (const [type, { schema = {} }] of Object.entries(content)) {
    const key = JSON.stringify(schema);
    const group = groups.get(key) ?? { types: [], schema };
    group.types.push(type);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function responses({ responses: all }: Operation, linkOf: LinkOf): Html {
  const shown = new Set<string>();
  return html`<h3>Responses</h3>
    <ul class="fields">
      ${Object.entries(all).map(([status, { description, headers, content }]) => {
        const types = bySchema(content).map(
          ({ types: some, schema }, index) => html`${index > 0 && '; '}${some.join(', ')}: ${typeOf(schema, linkOf)}`,
        );
        const names = Object.keys(headers).map((name, index) => html`${index > 0 && ', '}<code>${name}</code>`);
        return html`<li>
          <code class="status s${status[0]}">${status}</code> <span>${types}</span>
          <div>${inline(description)}</div>
          ${names.length > 0 && html`<div>Headers: ${names}.</div>`}${exampleList(content, shown)}
        </li>`;
      })}
    </ul>`;
}

/** The examples of a body, each behind a line that opens it. One that is in `shown` is left out. */
function exampleList(content: Content, shown: Set<string>): Html[] {
  return Object.entries(content).flatMap(([type, one]) =>
    examplesOf(one).flatMap(({ summary, value }) => {
      const isForm = type.endsWith('form-urlencoded');
      const text = typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
      if (isForm || shown.has(text)) return [];
      shown.add(text);
      return [
        html`<details>
          <summary>${summary ?? 'Example'}</summary>
          ${codeBlock(text, 'json')}
        </details>`,
      ];
    }),
  );
}
