import { Api, oauthErrorFormat } from '@tributary/service-kit';
import type { Express } from 'express';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { AssertionAuthentication } from './assertions/assertion-authentication';
import { KeySetAddresses } from './assertions/key-set-addresses';
import { SpentAssertions } from './assertions/spent-assertions';
import { ClientApplications } from './clients/client-applications';
import { internalApi } from './internal-api';
import { serveIntrospection } from './oauth2/introspection-endpoint';
import { requestingClient } from './oauth2/requesting-client';
import { serveRevocation } from './oauth2/revocation-endpoint';
import { serveServerMetadata, tokenEndpoint } from './oauth2/server-metadata';
import { serveTokens } from './oauth2/token-endpoint';
import type { RevocationChannel } from './revocations/revocation-channel';
import { Revocations } from './revocations/revocations';
import { AuthorizationCodes } from './tokens/authorization-codes';
import { LiveTokens } from './tokens/live-tokens';
import { RefreshTokens } from './tokens/refresh-tokens';
import { SystemTokens } from './tokens/system-tokens';

export interface AppDependencies {
  source: DataSource;
  pool: Pool;
  channel: RevocationChannel;
  log: Logger;
  authUrl: string;
  serviceKeys: Record<string, string>;
  /** Lets JWKS URLs of clients on http and on private addresses through. */
  sandboxMode: boolean;
}

/** The two APIs of auth: the public one at {auth_url}, and the one for other services. */
export function createApps({ source, pool, channel, log, authUrl, serviceKeys, sandboxMode }: AppDependencies): {
  publicApp: Express;
  internalApp: Express;
} {
  const clients = new ClientApplications(source);
  const codes = new AuthorizationCodes(pool);
  const liveTokens = new LiveTokens(pool);
  const revocations = new Revocations(pool, channel, log);
  const assertions = new AssertionAuthentication(
    clients,
    new KeySetAddresses({ allowPrivateAddresses: sandboxMode }),
    new SpentAssertions(pool),
    tokenEndpoint(authUrl),
    log,
  );
  const client = requestingClient(clients, assertions);

  const api = new Api({
    title: 'Tributary: tokens',
    description:
      "Exchanges users' codes for OAuth 2.0 tokens, and gives clients tokens of their own (SMART Backend Services).",
    serverUrl: authUrl,
    errorFormat: oauthErrorFormat,
    log,
  });
  serveTokens(api, client, {
    codes,
    refreshTokens: new RefreshTokens(pool),
    revocations,
    systemTokens: new SystemTokens(pool),
  });
  serveRevocation(api, client, revocations, liveTokens);
  serveIntrospection(api, client, liveTokens, authUrl);
  serveServerMetadata(api, authUrl);
  return {
    publicApp: api.express(),
    internalApp: internalApi({ serviceKeys, clients, codes, liveTokens, revocations, log }).express(),
  };
}
