import { exampleRule, oauthError } from '@tributary/contracts';
import { Api, oauthErrorBody, oauthErrorFormat } from '@tributary/service-kit';
import type { Express } from 'express';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { ClientAssertions } from './client-authentication/client-assertions';
import { clientAuthentication } from './client-authentication/client-authentication';
import { RemoteKeySets } from './client-authentication/remote-key-sets';
import { ClientApplications } from './clients/client-applications';
import { internalApi } from './internal-api';
import { ActiveTokens } from './introspection/active-tokens';
import { serveIntrospection } from './introspection/introspection-endpoint';
import { serveRevocation } from './revocation/revocation-endpoint';
import type { RevocationOutbox } from './revocation/revocation-outbox';
import { Revocations } from './revocation/revocations';
import { serveServerMetadata, tokenEndpoint } from './server-metadata';
import { serveTokens } from './token-endpoint/token-endpoint';
import { AuthorizationCodes } from './tokens/authorization-codes';
import { RefreshTokens } from './tokens/refresh-tokens';

export interface AppDependencies {
  source: DataSource;
  pool: Pool;
  outbox: RevocationOutbox;
  log: Logger;
  authUrl: string;
  serviceKeys: Record<string, string>;
  /** Allows JWKS URLs of clients on http and on private addresses. */
  sandboxMode: boolean;
}

/** The two APIs of auth: the public one at {auth_url}, and the one for other services. */
export function createApps({ source, pool, outbox, log, authUrl, serviceKeys, sandboxMode }: AppDependencies): {
  publicApp: Express;
  internalApp: Express;
} {
  const clients = new ClientApplications(source);
  const codes = new AuthorizationCodes(pool);
  const activeTokens = new ActiveTokens(pool);
  const revocations = new Revocations(pool, outbox, log);
  const remoteKeySets = new RemoteKeySets({ allowPrivateAddresses: sandboxMode });
  const assertions = new ClientAssertions(pool, clients, remoteKeySets, [authUrl, tokenEndpoint(authUrl)], log);
  const client = clientAuthentication(clients, assertions);

  const api = new Api({
    title: 'Tributary: tokens',
    description: `Exchanges users' codes for OAuth 2.0 tokens, and gives clients tokens of their own (SMART Backend Services). ${exampleRule}`,
    serverUrl: authUrl,
    tags: {
      Tokens: 'Tokens of users and clients: issue, revoke, introspect.',
      Discovery: 'What this authorization server supports.',
    },
    errorBody: { schema: oauthError, body: oauthErrorBody },
    errorFormat: oauthErrorFormat,
    // RFC 6749, section 3.2
    unknownParameters: 'ignored',
    log,
  });
  serveTokens(api, client, { pool, codes, refreshTokens: new RefreshTokens(pool), revocations });
  serveRevocation(api, client, revocations, activeTokens);
  serveIntrospection(api, client, activeTokens, authUrl);
  serveServerMetadata(api, authUrl);
  return {
    publicApp: api.express(),
    internalApp: internalApi({ serviceKeys, clients, codes, activeTokens, revocations, log }).express(),
  };
}
