import { type Api, unavailable } from '@tributary/service-kit';
import { z } from 'zod';
import { apiPath } from '../common-routes';
import type { Dependencies } from '../dependencies';
import { answeredBy, usualLimits } from './forwarding';

/** The OpenAPI documents of the public APIs, by the base URLs that they are below. */
const documents = {
  users: { api: 'base', path: '/user-management/openapi.json' },
  tokens: { api: 'auth', path: '/openapi.json' },
  'health-systems': { api: 'search', path: '/openapi.json' },
  fhir: { api: 'base', path: '/fhir-store/openapi.json' },
  'bulk-export': { api: 'analytics', path: '/openapi.json' },
  'audit-events': { api: 'base', path: '/audit/openapi.json' },
} as const;
export type DocumentName = keyof typeof documents;

/** Passes the documents on: pages of the console read nothing of other origins. */
export function serveDocuments(api: Api, { apis, authentications, limits }: Dependencies): void {
  api.route(
    {
      method: 'get',
      path: apiPath('documents/{name}'),
      operationId: 'readApiDocument',
      summary: 'The OpenAPI document of a public API',
      tags: ['Clients'],
      authentication: authentications.session,
      limits: limits.session,
      audit: { none: 'the documents are the same for everybody' },
      params: z.object({ name: z.enum(Object.keys(documents) as [DocumentName, ...DocumentName[]]) }),
      responses: { 200: { description: 'OpenAPI 3.1.', schema: z.looseObject({ openapi: z.string() }) } },
    },
    async ({ params, requestId, response }) => {
      const { api: called, path } = documents[params.name];
      const { http, url } = apis[called];
      const { status, text } = await answeredBy(
        http.request({ method: 'GET', url: url + path, headers: { 'X-Request-Id': requestId }, ...usualLimits }),
      );
      if (status !== 200) throw unavailable('a part of the service is not available; try again shortly');
      response.type('json').send(text);
      return undefined;
    },
  );
}
