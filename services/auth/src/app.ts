import type { AuditTrail } from '@tributary/audit-log';
import { type ClientApplication, exampleRule, oauthError } from '@tributary/contracts';
import {
  type RedisClient,
  Api,
  CredentialGuard,
  RateLimits,
  type RouteLimit,
  describeError,
  forgetFailedCredentials,
  limitAddresses,
  limitCallers,
  oauthErrorBody,
  oauthErrorFormat,
  poolOf,
} from '@tributary/service-kit';
import type { Express } from 'express';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { ClientAssertions } from './client-authentication/client-assertions';
import { type AuthenticatedClient, clientAuthentication } from './client-authentication/client-authentication';
import { RemoteKeySets } from './client-authentication/remote-key-sets';
import { ClientApplications } from './clients/client-applications';
import { serveClients } from './clients/client-routes';
import { serveClientUsage } from './clients/client-usage';
import { TemporarySecrets } from './clients/temporary-secrets';
import type { AuthConfig } from './config';
import { internalApi } from './internal-api';
import { ActiveTokens } from './introspection/active-tokens';
import { serveIntrospection } from './introspection/introspection-endpoint';
import { serveRevocation } from './revocation/revocation-endpoint';
import type { RevocationOutbox } from './revocation/revocation-outbox';
import { Revocations } from './revocation/revocations';
import { serveServerMetadata, tokenEndpoint } from './server-metadata';
import { serveTokens } from './token-endpoint/token-endpoint';
import { AccessTokens } from './tokens/access-tokens';
import { AuthorizationCodes } from './tokens/authorization-codes';
import { RefreshTokens } from './tokens/refresh-tokens';

export interface AppDependencies {
  source: DataSource;
  outbox: RevocationOutbox;
  audit: AuditTrail;
  log: Logger;
  redis: RedisClient;
  config: Pick<
    AuthConfig,
    'AUTH_URL' | 'SERVICE_KEYS' | 'SANDBOX_MODE' | 'REFRESH_TOKEN_MAX_DAYS' | 'TRUSTED_PROXIES' | 'RATE_LIMITS'
  >;
  /** The first part of the keys of the limits in Redis. */
  limitsPrefix?: string;
}

/** The two APIs of auth: the public one at {auth_url}, and the one for other services. */
export function createApps({ source, outbox, audit: trail, log, redis, config, limitsPrefix }: AppDependencies): {
  publicApp: Express;
  internalApp: Express;
} {
  const { AUTH_URL: authUrl, SERVICE_KEYS: serviceKeys, TRUSTED_PROXIES, RATE_LIMITS } = config;
  const pool = poolOf(source);
  const audit = { trail, trustedProxies: TRUSTED_PROXIES };
  const clients = new ClientApplications(source);
  const codes = new AuthorizationCodes(pool, config.REFRESH_TOKEN_MAX_DAYS);
  const activeTokens = new ActiveTokens(pool);
  const revocations = new Revocations(pool, outbox, log);
  const remoteKeySets = new RemoteKeySets({ allowPrivateAddresses: config.SANDBOX_MODE });
  const assertions = new ClientAssertions(pool, clients, remoteKeySets, [authUrl, tokenEndpoint(authUrl)], log);
  const guard = new CredentialGuard({
    TRUSTED_PROXIES,
    RATE_LIMITS,
    redis,
    ...(limitsPrefix === undefined ? {} : { prefix: limitsPrefix }),
  });
  const rateLimits = new RateLimits(redis, RATE_LIMITS, limitsPrefix);
  const endpoint = {
    authentication: clientAuthentication(clients, assertions, guard),
    limits: requestLimits(rateLimits, TRUSTED_PROXIES, ({ clientId }: AuthenticatedClient) => clientId),
  };

  const api = new Api({
    title: 'Tributary: tokens',
    description: `Exchanges users' codes for OAuth 2.0 tokens, and gives clients tokens of their own (SMART Backend Services). ${exampleRule}`,
    serverUrl: authUrl,
    tags: {
      Tokens: 'Tokens of users and clients: issue, revoke, introspect.',
      Clients: 'The client itself: its settings and its secret.',
      Discovery: 'What this authorization server supports.',
    },
    errorBody: { schema: oauthError, body: oauthErrorBody },
    errorFormat: oauthErrorFormat,
    // RFC 6749, section 3.2
    unknownParameters: 'ignored',
    log,
    audit,
  });
  serveTokens(api, endpoint, { pool, codes, refreshTokens: new RefreshTokens(pool), revocations });
  serveRevocation(api, endpoint, revocations, activeTokens);
  serveIntrospection(api, endpoint, activeTokens, authUrl);
  serveClients(api, {
    clients,
    guard,
    sandboxMode: config.SANDBOX_MODE,
    limits: requestLimits(rateLimits, TRUSTED_PROXIES, ({ client_id }: ClientApplication) => client_id),
  });
  serveClientUsage(api, { clients, guard, rateLimits });
  serveServerMetadata(api, authUrl);
  return {
    publicApp: api.express(),
    internalApp: internalApi({
      serviceKeys,
      clients,
      temporarySecrets: new TemporarySecrets(source),
      codes,
      accessTokens: new AccessTokens(pool),
      activeTokens,
      revocations,
      audit,
      forgetFailures: (clientId) =>
        forgetFailedCredentials(redis, clientId, limitsPrefix).catch((error: unknown) =>
          log.warn({ err: describeError(error) }, 'the failed attempts of a client are not forgotten'),
        ),
      log,
    }).express(),
  };
}

/** The limits of the endpoints that authenticate clients. Without Redis they refuse. */
function requestLimits<Client>(
  limits: RateLimits,
  trustedProxies: AuthConfig['TRUSTED_PROXIES'],
  keyOf: (client: Client) => string,
): RouteLimit[] {
  return [
    ...limitAddresses(limits.limit('tokens-address', 'refuse'), trustedProxies),
    ...limitCallers<Client>([{ limit: limits.limit('tokens-client', 'refuse'), keyOf }]),
  ];
}
