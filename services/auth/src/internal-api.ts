import {
  clientApplication,
  clientCredentials,
  clientId,
  codeRequest,
  introspections,
  issuedCode,
  serviceUserIdText,
  tokensRequest,
  userScope,
} from '@tributary/contracts';
import { Api, HttpError, serviceKeyAuthentication, serviceErrorFormat } from '@tributary/service-kit';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { ClientApplications } from './clients/client-applications';
import type { Revocations } from './revocations/revocations';
import type { AuthorizationCodes } from './tokens/authorization-codes';
import { codeLifetime } from './tokens/lifetimes';
import type { LiveTokens } from './tokens/live-tokens';

export interface InternalApiParts {
  serviceKeys: Record<string, string>;
  clients: ClientApplications;
  codes: AuthorizationCodes;
  liveTokens: LiveTokens;
  revocations: Revocations;
  log: Logger;
}

/** What other services ask of auth (contracts, `AuthClient`). */
export function internalApi({ serviceKeys, clients, codes, liveTokens, revocations, log }: InternalApiParts): Api {
  const authentication = serviceKeyAuthentication(serviceKeys);
  return new Api({
    title: 'auth, internal',
    description: 'For other services.',
    serverUrl: 'http://localhost',
    errorFormat: serviceErrorFormat,
    log,
    documentation: false,
  })
    .route(
      {
        method: 'post',
        path: '/internal/v1/clients/authenticate',
        operationId: 'authenticateClient',
        summary: 'The client of these credentials',
        authentication,
        body: clientCredentials,
        responses: { 200: { description: 'The client.', schema: clientApplication } },
      },
      async ({ body }) => {
        const client = await clients.authenticate(body.client_id, body.client_secret);
        if (!client) throw new HttpError(401, 'invalid_client', 'client_id or client_secret is wrong');
        return client;
      },
    )
    .route(
      {
        method: 'get',
        path: '/internal/v1/clients/{client_id}',
        operationId: 'findClient',
        summary: 'A client by its id',
        authentication,
        params: z.object({ client_id: clientId }),
        responses: { 200: { description: 'The client.', schema: clientApplication } },
      },
      async ({ params }) => (await clients.find(params.client_id)) ?? clientNotFound(),
    )
    .route(
      {
        method: 'post',
        path: '/internal/v1/codes',
        operationId: 'issueCode',
        summary: 'A new authorization code of a user',
        authentication,
        body: codeRequest,
        responses: { 200: { description: 'The code.', schema: issuedCode } },
      },
      async ({ body }) => {
        const code = (await codes.issue(body.client_id, body.service_user_id, userScope)) ?? clientNotFound();
        return { code, expires_in: codeLifetime };
      },
    )
    .route(
      {
        method: 'post',
        path: '/internal/v1/tokens/introspect',
        operationId: 'introspectAccessTokens',
        summary: 'What access tokens stand for',
        authentication,
        body: tokensRequest,
        responses: { 200: { description: 'What each stands for, in their order.', schema: introspections } },
      },
      async ({ body }) => ({
        tokens: (await liveTokens.accessTokens(body.tokens)).map((live) => live ?? { active: false as const }),
      }),
    )
    .route(
      {
        method: 'delete',
        path: '/internal/v1/users/{service_user_id}/tokens',
        operationId: 'revokeTokensOfUser',
        summary: 'End every code and token of a user',
        authentication,
        params: z.object({ service_user_id: serviceUserIdText }),
        responses: { 204: { description: 'None works any more, here and everywhere.' } },
      },
      async ({ params, response }) => {
        await revocations.revokeTokensOfUser(params.service_user_id);
        response.status(204).end();
        return undefined;
      },
    );
}

function clientNotFound(): never {
  throw new HttpError(404, 'client_not_found', 'there is no such client');
}
