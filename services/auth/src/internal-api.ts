import {
  authenticatedClient,
  clientCredentials,
  clientId,
  clientMode,
  clientSearch,
  clientStateChange,
  clientsOfOrganisation,
  deletingClients,
  developerId,
  foundClient,
  grantRequest,
  introspections,
  issuedAccessToken,
  issuedCode,
  managedClientWithSecret,
  maxClientsOfOrganisation,
  operatedClient,
  operatedClientList,
  organisationId,
  serviceUserIdText,
  temporarySecret,
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
import { type ClientApplications, OrganisationFullError } from './clients/client-applications';
import { newClientId, newClientSecret } from './clients/client-credentials';
import { clientName, clientRedirectUris } from './clients/client-settings';
import type { TemporarySecrets } from './clients/temporary-secrets';
import type { ActiveTokens } from './introspection/active-tokens';
import type { Revocations } from './revocation/revocations';
import type { AccessTokens } from './tokens/access-tokens';
import type { AuthorizationCodes } from './tokens/authorization-codes';
import { codeLifetime } from './tokens/lifetimes';

export interface InternalApiDependencies {
  serviceKeys: ServiceKeys;
  clients: ClientApplications;
  temporarySecrets: TemporarySecrets;
  codes: AuthorizationCodes;
  accessTokens: AccessTokens;
  activeTokens: ActiveTokens;
  revocations: Revocations;
  audit: ApiAudit;
  /** Forgets the failed attempts of a client that works again. */
  forgetFailures(clientId: string): Promise<void>;
  log: Logger;
}

const clientRegistration = z.strictObject({
  organisation_id: organisationId,
  mode: clientMode,
  name: clientName,
  redirect_uris: clientRedirectUris,
  developer: developerId.optional().describe('Who creates it.'),
});

/** The API for other services; its client is `AuthClient` of contracts. */
export function internalApi({
  serviceKeys,
  clients,
  temporarySecrets,
  codes,
  accessTokens,
  activeTokens,
  revocations,
  audit,
  forgetFailures,
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
        responses: { 200: { description: 'The client.', schema: authenticatedClient } },
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
        responses: { 200: { description: 'The client.', schema: foundClient } },
      },
      async ({ params }) => (await clients.find(params.client_id)) ?? clientNotFound(),
    )
    .route(
      {
        method: 'post',
        path: '/internal/v1/clients',
        operationId: 'createClient',
        summary: 'Create a client application of an organisation',
        authentication: only('console'),
        audit: { kind: 'client.created', action: 'C' },
        body: clientRegistration,
        responses: {
          201: { description: 'The client with its secret, this once.', schema: managedClientWithSecret },
          409: {
            description: `The organisation has ${maxClientsOfOrganisation} clients.`,
            codes: ['too_many_clients'],
          },
        },
      },
      async ({ body, response, audit: note }) => {
        const { organisation_id: organisation, mode, name, redirect_uris: redirectUris, developer } = body;
        const credentials = { clientId: newClientId(mode), clientSecret: newClientSecret(mode) };
        note({ clientId: credentials.clientId, developer });
        response.status(201);
        try {
          return await clients.create({ organisation, mode, name, redirectUris, credentials });
        } catch (error) {
          if (error instanceof OrganisationFullError) throw new HttpError('too_many_clients', error.message);
          throw error;
        }
      },
    )
    .route(
      {
        method: 'get',
        path: '/internal/v1/clients',
        operationId: 'clientsOfOrganisation',
        audit: { none: 'a service reads settings, and no data of a user' },
        summary: 'The client applications of an organisation',
        authentication: only('console'),
        query: z.object({ organisation_id: organisationId }),
        responses: { 200: { description: 'All of them, oldest first.', schema: clientsOfOrganisation } },
      },
      async ({ query }) => ({ clients: await clients.list(query.organisation_id) }),
    )
    .route(
      {
        method: 'post',
        path: '/internal/v1/clients/{client_id}/temporary-secrets',
        operationId: 'createTemporarySecret',
        summary: 'A secret by which a developer acts for a client application of an organisation for five minutes',
        authentication: only('console'),
        audit: { kind: 'token.issued', action: 'E' },
        params: z.object({ client_id: clientId }),
        body: z.strictObject({ developer: developerId }),
        responses: { 200: { description: 'The secret.', schema: temporarySecret } },
      },
      async ({ params, body, audit: note }) => {
        note({ clientId: params.client_id, developer: body.developer, entities: [{ type: 'temporary_secret' }] });
        return (await temporarySecrets.issue(params.client_id, body.developer)) ?? clientNotFound();
      },
    )
    .route(
      {
        method: 'get',
        path: '/internal/v1/operator/clients',
        operationId: 'operatorListClients',
        audit: { none: 'the console records what an operator reads, which is no data of a user' },
        summary: 'A page of all client applications, for an operator',
        authentication: only('console'),
        query: clientSearch,
        responses: { 200: { description: 'A page, newest first.', schema: operatedClientList } },
      },
      ({ query }) => clients.page(query),
    )
    .route(
      {
        method: 'get',
        path: '/internal/v1/operator/clients/{client_id}',
        operationId: 'operatorReadClient',
        audit: { none: 'the console records what an operator reads, which is no data of a user' },
        summary: 'A client application in any state, for an operator',
        authentication: only('console'),
        params: z.object({ client_id: clientId }),
        responses: { 200: { description: 'The client.', schema: operatedClient } },
      },
      async ({ params }) => (await clients.findListed(params.client_id)) ?? clientNotFound(),
    )
    .route(
      {
        method: 'put',
        path: '/internal/v1/operator/clients/{client_id}/state',
        operationId: 'operatorSetClientState',
        summary: 'Disable or enable a client application for an operator',
        authentication: only('console'),
        audit: { kind: 'client.changed', action: 'U' },
        params: z.object({ client_id: clientId }),
        body: clientStateChange,
        responses: {
          200: { description: 'The client.', schema: operatedClient },
          409: { description: 'The deletion of the client has begun.', codes: ['client_being_deleted'] },
        },
      },
      async ({ params: { client_id: id }, body: { disabled, operator }, audit: note }) => {
        note({ clientId: id, operator });
        await (disabled ? clients.disable(id) : clients.enable(id));
        const changed = (await clients.findListed(id)) ?? clientNotFound();
        if (!disabled && changed.deletion_at !== undefined)
          throw new HttpError('client_being_deleted', 'the client is being deleted');
        if (!disabled) await forgetFailures(id);
        return changed;
      },
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
