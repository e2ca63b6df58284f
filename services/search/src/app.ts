import {
  directorySourceList,
  exampleRule,
  healthSystem,
  healthSystemIdText,
  healthSystemSearch,
  healthSystemSearchQuery,
  healthSystemSearchResponse,
  searchPageSize,
  serviceError,
  userScopes,
} from '@tributary/contracts';
import {
  type AccessTokens,
  Api,
  type ApiOptions,
  HttpError,
  type RouteLimit,
  serviceKeyAuthentication,
  serviceErrorBody,
  serviceErrorFormat,
  accessTokenAuthentication,
  type ServiceKeys,
} from '@tributary/service-kit';
import type { Express } from 'express';
import type { Pool } from 'pg';
import { z } from 'zod';
import type { Directory } from './directory/directory';
import { listSources } from './loading/sources';

export interface PublicDependencies {
  directory: Directory;
  tokens: AccessTokens;
  serverUrl: string;
  /** The issuer of the access tokens. */
  authUrl: string;
  limits: readonly RouteLimit[];
  audit: ApiOptions['audit'];
  log: ApiOptions['log'];
}

/** The public API at {search_url}: the search of health systems. */
export function publicApp({ directory, tokens, serverUrl, authUrl, limits, audit, log }: PublicDependencies): Express {
  return new Api({
    title: 'Tributary: health systems',
    description: `The directory of the health systems a user can connect to. ${exampleRule}`,
    serverUrl,
    tags: { 'Health systems': 'The search of the directory.', Discovery: 'Where access tokens come from.' },
    errorBody: { schema: serviceError, body: serviceErrorBody },
    errorFormat: serviceErrorFormat,
    log,
    audit,
  })
    .route(
      {
        method: 'post',
        path: '/api/search',
        isSafe: true,
        operationId: 'searchHealthSystems',
        audit: { none: 'the directory has no data of a user; refused tokens are counted' },
        summary: 'Search health systems',
        description: `Users of a test client find test systems only, such as the sandbox, and those of a live client never do. Returns pages of ${searchPageSize}, best first; without a query all health systems by name. A postal code matches health systems with that code, followed by those nearby. Health systems to which a user cannot connect, because this service is not registered there, come last; before them those whose FHIR servers do not answer. Parameters can be in the query string, in a form or in a JSON body; the body takes precedence. \`near\` belongs in a JSON body.`,
        tags: ['Health systems'],
        authentication: accessTokenAuthentication(tokens),
        limits,
        query: healthSystemSearchQuery,
        body: healthSystemSearch,
        example: { body: { query: 'hospital', offset: 0, connectable: false } },
        responses: {
          200: { description: 'A page of health systems.', schema: healthSystemSearchResponse },
          400: { description: 'A parameter is invalid.' },
          401: { description: 'The access token is missing or not valid.' },
          503: { description: 'The directory has not been read yet.' },
        },
      },
      ({ principal, query: inQuery, body }) => {
        const offset = body.offset ?? inQuery.offset ?? 0;
        const query = body.query ?? inQuery.query ?? undefined;
        const connectableOnly = body.connectable ?? inQuery.connectable ?? false;
        const { total, entry } = directory.snapshot.search(principal.mode, query, offset, searchPageSize, {
          connectableOnly,
          near: body.near ?? undefined,
        });
        return { success: true, total, offset, limit: searchPageSize, entry };
      },
    )
    .protect({
      url: `${serverUrl}/api/search`,
      authorizationServer: authUrl,
      scopes: userScopes,
      name: 'Search of health systems',
    })
    .express();
}

export interface InternalDependencies {
  directory: Directory;
  pool: Pool;
  serviceKeys: ServiceKeys;
  log: ApiOptions['log'];
}

/** The API for other services; its client is `DirectoryClient` of contracts. */
export function internalApp({ directory, pool, serviceKeys, log }: InternalDependencies): Express {
  const authentication = serviceKeyAuthentication(serviceKeys, ['user-management', 'console']);
  return new Api({
    title: 'Directory, internal',
    description: '',
    serverUrl: '',
    errorFormat: serviceErrorFormat,
    log,
    audit: { none: 'the directory has no data of a user' },
    documentation: { serviceKeys },
  })
    .route(
      {
        method: 'get',
        path: '/internal/v1/health-systems/{id}',
        operationId: 'findHealthSystem',
        summary: 'Read a health system with its endpoints',
        authentication,
        params: z.object({ id: healthSystemIdText }),
        responses: {
          200: { description: 'The health system.', schema: healthSystem },
          404: { description: 'There is no health system with this id.', codes: ['health_system_not_found'] },
        },
      },
      async ({ params }) => {
        const found = await directory.find(params.id);
        if (!found) throw new HttpError('health_system_not_found', 'the directory has no health system with this id');
        return found;
      },
    )
    .route(
      {
        method: 'get',
        path: '/internal/v1/operator/sources',
        operationId: 'operatorListSources',
        summary: 'The sources of the directory, and when each was loaded, for an operator',
        authentication: serviceKeyAuthentication(serviceKeys, ['console']),
        responses: { 200: { description: 'All of them.', schema: directorySourceList } },
      },
      async () => ({ entry: await listSources(pool) }),
    )
    .express();
}
