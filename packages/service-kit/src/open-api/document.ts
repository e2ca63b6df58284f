import type { ZodType } from 'zod';
import type { AnyRoute, WebhookDescription } from '../api/route';
import { softwareVersion } from '../config/software-version';
import { exampleOf } from './examples';
import { responseHeaders } from './headers';
import { type ErrorBody, responsesOf } from './responses';
import { type JsonSchema, Schemas } from './schemas';
import { type SecurityRequirement, security, securitySchemes } from './security';

/** The API as a whole in its OpenAPI document. */
export interface ApiDescription {
  title: string;
  description: string;
  /** The public base URL of this API, for its OpenAPI document. */
  serverUrl: string;
  /** Descriptions of the tags of the routes, by name. */
  tags?: Record<string, string>;
  errorBody?: ErrorBody;
}

/** The parts of `info` that all documents share. */
export const aboutApi = {
  version: softwareVersion,
  contact: { name: 'Tributary' },
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
};

const jsonOrForm = ['application/json', 'application/x-www-form-urlencoded'];

/**
 * The OpenAPI 3.1 document of an API, generated from the schemas that validate its requests.
 * @throws Error when a route has a tag without a description, or two schemas have the same id
 */
export function openApiDocument(
  { title, description, serverUrl, tags = {}, errorBody }: ApiDescription,
  routes: readonly AnyRoute[],
  webhooks: readonly WebhookDescription[],
): object {
  const schemas = new Schemas();
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    for (const tag of route.tags ?? []) if (!(tag in tags)) throw new Error(`the tag ${tag} has no description`);
    (paths[route.path.replace('*}', '}')] ??= {})[route.method] = operationOf(route, errorBody, schemas);
  }
  const requirements = routes.flatMap(requirementsOf).flatMap((requirement) => Object.keys(requirement));
  const document = {
    openapi: '3.1.0',
    info: { title, description, ...aboutApi },
    servers: [{ url: serverUrl }],
    tags: Object.entries(tags).map(([name, about]) => ({ name, description: about })),
    paths,
    ...(webhooks.length > 0
      ? { webhooks: Object.fromEntries(webhooks.map((webhook) => [webhook.name, webhookOf(webhook, schemas)])) }
      : {}),
  };
  const usedHeaders = new Set(
    [...JSON.stringify(document).matchAll(/"#\/components\/headers\/([^"]+)"/g)].map(([, name]) => name),
  );
  return {
    ...document,
    components: {
      schemas: schemas.components,
      headers: pick(responseHeaders, (name) => usedHeaders.has(name)),
      securitySchemes: pick(securitySchemes, (name) => requirements.includes(name)),
    },
  };
}

function requirementsOf(route: AnyRoute): readonly SecurityRequirement[] {
  return route.documentedSecurity ?? security[route.authentication.scheme];
}

function operationOf(route: AnyRoute, errorBody: ErrorBody | undefined, schemas: Schemas): object {
  const parameters = [
    ...parametersOf('path', route.params, route.example?.params, schemas),
    ...parametersOf('query', route.query, route.example?.query, schemas),
    ...parametersOf('header', route.headers, route.example?.headers, schemas),
  ];
  const body = route.documentedBody ?? route.body;
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: route.description ?? `${route.summary}.`,
    ...(route.tags ? { tags: route.tags } : {}),
    security: requirementsOf(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: requestBodyOf(route, body, schemas) } : {}),
    responses: responsesOf(route, errorBody, schemas),
  };
}

function requestBodyOf(route: AnyRoute, body: ZodType, schemas: Schemas): object {
  const schema = schemas.of(body, 'input');
  const given = route.example?.body;
  const example = given ?? exampleOf(schema, schemas);
  const examples = route.bodyExamples && {
    examples: Object.fromEntries(Object.entries(route.bodyExamples).map(([name, value]) => [name, { value }])),
  };
  return {
    required: !body.safeParse({}).success,
    content: Object.fromEntries(
      (route.bodyTypes ?? jsonOrForm).map((type) => [type, { schema, ...(examples ?? { example }) }]),
    ),
  };
}

function parametersOf(
  location: 'path' | 'query' | 'header',
  schema: ZodType | undefined,
  examples: Record<string, unknown> | undefined,
  schemas: Schemas,
): object[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemas.resolve(schemas.of(schema, 'input'));
  return Object.entries(properties)
    .filter(([, property]) => !property['undocumented'])
    .map(([name, given]) => {
      const { description, deprecated, ...property } = withoutNull(given);
      const example =
        examples?.[name] ?? (location === 'path' ? exampleOf(property as JsonSchema, schemas) : undefined);
      return {
        name,
        in: location,
        ...(description === undefined ? {} : { description }),
        required: location === 'path' || required.includes(name),
        ...(deprecated === true ? { deprecated } : {}),
        schema: property,
        ...(example === undefined ? {} : { example }),
      };
    });
}

/** A parameter has no null, which the same schema accepts in a JSON body. */
function withoutNull({ anyOf, ...schema }: JsonSchema): JsonSchema {
  if (!Array.isArray(anyOf)) return schema;
  const [first, ...others] = (anyOf as JsonSchema[]).filter(({ type }) => type !== 'null');
  return first && others.length === 0 ? { ...first, ...schema } : { anyOf, ...schema };
}

function webhookOf(
  { name, summary, description, headers, body, example, responses }: WebhookDescription,
  schemas: Schemas,
): object {
  const schema = schemas.of(body, 'output');
  return {
    post: {
      operationId: name.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
      summary,
      description,
      tags: ['Webhooks'],
      security: [],
      parameters: parametersOf('header', headers, undefined, schemas),
      requestBody: {
        required: true,
        content: { 'application/json': { schema, example: example ?? exampleOf(schema, schemas) } },
      },
      responses,
    },
  };
}

function pick<T extends object>(all: T, wanted: (name: string) => boolean): Partial<T> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => wanted(name))) as Partial<T>;
}
