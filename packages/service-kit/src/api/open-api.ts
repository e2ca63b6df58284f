import { OpenAPIRegistry, OpenApiGeneratorV31, extendZodWithOpenApi } from '@asteasolutions/zod-to-openapi';
import { type ZodObject, type ZodType, z } from 'zod';
import type { AnyRoute, WebhookDescription } from './route';

extendZodWithOpenApi(z);

const schemes = {
  bearer: { bearer: { type: 'http', scheme: 'bearer', description: "The user's access token." } },
  'oauth-client': {
    client_basic: {
      type: 'http',
      scheme: 'basic',
      description: 'client_id and client_secret; both may be sent in the body instead.',
    },
  },
  client: {
    client_id: { type: 'apiKey', in: 'header', name: 'client_id' },
    client_secret: { type: 'apiKey', in: 'header', name: 'client_secret' },
  },
} as const;

const security: Record<AnyRoute['authentication']['scheme'], Record<string, string[]>[]> = {
  none: [],
  service: [],
  bearer: [{ bearer: [] }],
  client: [{ client_id: [], client_secret: [] }],
  'oauth-client': [{ client_basic: [] }, {}],
  'bearer-or-client': [{ bearer: [] }, { client_id: [], client_secret: [] }],
};

/** The API as a whole in its OpenAPI document. */
export interface ApiDescription {
  title: string;
  description: string;
  /** The public base URL of this API, for its OpenAPI document. */
  serverUrl: string;
}

/** The OpenAPI 3.1 document of an API, generated from the schemas that validate its requests. */
export function openApiDocument(
  options: ApiDescription,
  routes: readonly AnyRoute[],
  webhooks: readonly WebhookDescription[],
): object {
  const registry = new OpenAPIRegistry();
  for (const scheme of Object.values(schemes)) {
    for (const [name, definition] of Object.entries(scheme))
      registry.registerComponent('securitySchemes', name, definition);
  }
  for (const route of routes) {
    registry.registerPath({
      method: route.method,
      path: route.path,
      operationId: route.operationId,
      summary: route.summary,
      ...(route.description ? { description: route.description } : {}),
      ...(route.tags ? { tags: route.tags } : {}),
      security: security[route.authentication.scheme],
      request: {
        ...(route.params ? { params: route.params as ZodObject } : {}),
        ...(route.query ? { query: route.query as ZodObject } : {}),
        ...(route.headers ? { headers: route.headers as ZodObject } : {}),
        ...(route.body
          ? {
              body: {
                content: {
                  'application/json': { schema: route.body },
                  'application/x-www-form-urlencoded': { schema: route.body },
                },
              },
            }
          : {}),
      },
      responses: Object.fromEntries(
        Object.entries(route.responses).map(([status, { description, schema, contentType }]) => [
          status,
          { description, ...content(schema, contentType) },
        ]),
      ),
    });
  }
  for (const { name, summary, description, headers, body, responses } of webhooks) {
    registry.registerWebhook({
      method: 'post',
      path: name,
      summary,
      description,
      security: [],
      request: { headers, body: { required: true, content: { 'application/json': { schema: body } } } },
      responses,
    });
  }
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title: options.title, description: options.description, version: '1' },
    servers: [{ url: options.serverUrl }],
  });
}

function content(schema: ZodType | undefined, contentType = 'application/json'): object {
  return schema ? { content: { [contentType]: { schema } } } : {};
}
