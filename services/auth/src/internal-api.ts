import {
  clientApplication,
  clientCredentials,
  clientId,
  deletingClients,
  grantRequest,
  introspections,
  issuedAccessToken,
  issuedCode,
  serviceUserIdText,
  tokensRequest,
  userScope,
} from '@tributary/contracts';
import {
  Api,
  type ApiAudit,
  type Authentication,
  HttpError,
  serviceKeyAuthentication,
  serviceErrorFormat,
  type ServiceKeys,
} from '@tributary/service-kit';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { ClientApplications } from './clients/client-applications';
import type { ActiveTokens } from './introspection/active-tokens';
import type { Revocations } from './revocation/revocations';
import type { AccessTokens } from './tokens/access-tokens';
import type { AuthorizationCodes } from './tokens/authorization-codes';
import { codeLifetime } from './tokens/lifetimes';

export interface InternalApiDependencies {
  serviceKeys: ServiceKeys;
  clients: ClientApplications;
  codes: AuthorizationCodes;
  accessTokens: AccessTokens;
  activeTokens: ActiveTokens;
  revocations: Revocations;
  audit: ApiAudit;
  log: Logger;
}

/** The API for other services; its client is `AuthClient` of contracts. */
export function internalApi({
  serviceKeys,
  clients,
  codes,
  accessTokens,
  activeTokens,
  revocations,
  audit,
  log,
}: InternalApiDependencies): Api {
  const only = (...callers: [string, ...string[]]): Authentication<string> =>
    serviceKeyAuthentication(serviceKeys, callers);
  return new Api({
    title: 'auth, internal',
    description: 'For other services.',
    serverUrl: 'http://localhost',
    errorFormat: serviceErrorFormat,
    log,
    audit,
    documentation: { serviceKeys },
  })
    .route(
      {
        method: 'post',
        path: '/internal/v1/clients/authenticate',
        operationId: 'authenticateClient',
        audit: { none: 'the service that asks records what the client does; refused credentials are counted' },
        summary: 'Authenticate a client application',
        authentication: only('user-management', 'analytics-export', 'audit-log'),
        body: clientCredentials,
        responses: { 200: { description: 'The client.', schema: clientApplication } },
      },
      async ({ body }) => {
        const client = await clients.authenticate(body.client_id, body.client_secret);
        if (client === 'disabled') throw new HttpError('client_disabled', 'the client is disabled');
        if (!client) throw new HttpError('invalid_client', 'client_id or client_secret is wrong');
        return client;
      },
    )
    .route(
      {
        method: 'get',
        path: '/internal/v1/clients/{client_id}',
        operationId: 'findClient',
        audit: { none: 'a service reads a setting, and no data of a user' },
        summary: 'Read a client application',
        authentication: only('user-management', 'console'),
        params: z.object({ client_id: clientId }),
        responses: { 200: { description: 'The client.', schema: clientApplication } },
      },
      async ({ params }) => (await clients.find(params.client_id)) ?? clientNotFound(),
    )
    .route(
      {
        method: 'get',
        path: '/internal/v1/deleting-clients',
        operationId: 'findDeletingClients',
        audit: { none: 'a service reads a setting, and no data of a user' },
        summary: 'The client applications that are being deleted',
        authentication: only('user-management'),
        responses: { 200: { description: 'Up to 100 of them, oldest first.', schema: deletingClients } },
      },
      async () => ({ client_ids: await clients.findDeleting() }),
    )
    .route(
      {
        method: 'delete',
        path: '/internal/v1/deleting-clients/{client_id}',
        operationId: 'removeClient',
        summary: 'Remove a client application that is being deleted, after its users',
        authentication: only('user-management'),
        audit: { kind: 'client.deleted', action: 'D' },
        params: z.object({ client_id: clientId }),
        responses: { 204: { description: 'It is removed.' } },
      },
      async ({ params, response, audit: note }) => {
        note({ clientId: params.client_id });
        await clients.remove(params.client_id);
        response.status(204);
        return undefined;
      },
    )
    .route(
      {
        method: 'post',
        path: '/internal/v1/codes',
        operationId: 'issueCode',
        summary: 'Issue an authorization code for a user',
        authentication: only('user-management'),
        audit: { kind: 'code.issued', action: 'E' },
        body: grantRequest,
        responses: { 200: { description: 'The code.', schema: issuedCode } },
      },
      async ({ body, audit: note }) => {
        note({ subject: body.service_user_id, clientId: body.client_id });
        const code = (await codes.issue(body.client_id, body.service_user_id, userScope)) ?? clientNotFound();
        return { code, expires_in: codeLifetime };
      },
    )
    .route(
      {
        method: 'post',
        path: '/internal/v1/access-tokens',
        operationId: 'issueAccessToken',
        summary: 'Issue an access token of a user for the connect pages',
        authentication: only('user-management'),
        audit: { kind: 'token.issued', action: 'E' },
        body: grantRequest,
        responses: { 200: { description: 'The access token.', schema: issuedAccessToken } },
      },
      async ({ body, audit: note }) => {
        note({ subject: body.service_user_id, clientId: body.client_id });
        const token = await accessTokens.issue(body.client_id, body.service_user_id, userScope);
        return { access_token: token ?? clientNotFound() };
      },
    )
    .route(
      {
        method: 'post',
        path: '/internal/v1/tokens/introspect',
        operationId: 'introspectAccessTokens',
        audit: { none: 'the service that asks records what the token is used for' },
        summary: 'Introspect access tokens',
        authentication: only(
          'user-management',
          'search',
          'fhir-store',
          'analytics-export',
          'audit-log',
          'mcp-server',
          'console',
        ),
        body: tokensRequest,
        responses: { 200: { description: 'One result for each token, in their order.', schema: introspections } },
      },
      async ({ body }) => ({
        tokens: (await activeTokens.findAccessTokens(body.tokens)).map((token) => token ?? { active: false as const }),
      }),
    )
    .route(
      {
        method: 'delete',
        path: '/internal/v1/users/{service_user_id}/tokens',
        operationId: 'revokeTokensOfUser',
        summary: 'Revoke every code and token of a user',
        authentication: only('user-management'),
        audit: { kind: 'token.revoked', action: 'D' },
        params: z.object({ service_user_id: serviceUserIdText }),
        responses: { 204: { description: 'The tokens are revoked, and every service knows it.' } },
      },
      async ({ params, response, audit: note }) => {
        note({ subject: params.service_user_id });
        await revocations.revokeTokensOfUser(params.service_user_id);
        response.status(204);
        return undefined;
      },
    );
}

function clientNotFound(): never {
  throw new HttpError('client_not_found', 'there is no such client');
}
