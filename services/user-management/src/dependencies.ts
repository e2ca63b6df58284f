import { AuthClient, DirectoryClient, RecordsClient } from '@tributary/contracts';
import { KeysStatusReader } from '@tributary/key-providers';
import {
  AccessTokens,
  type ApiAudit,
  BrowserCookie,
  CredentialGuard,
  FailedTokens,
  RateLimits,
  type ServiceRuntime,
  clientCredentialsAuthentication,
  describeError,
  openRedis,
  openRedisSubscriber,
  redisStartWaitMs,
  untilReady,
} from '@tributary/service-kit';
import { SigningKeys } from './client-keys/signing-keys';
import { CollectionQueue } from './collection/collection-queue';
import { type Config, serviceName } from './config';
import { AcceptedScopeFallbacks } from './connect/accepted-scope-fallbacks';
import { ConnectLinks } from './connect/links/connect-links';
import { PendingAuthorizations } from './connect/pending-authorizations';
import { connectionCaller } from './connections/connection-caller';
import { Connections } from './connections/connections';
import { ConsentEvents } from './consent/consent-events';
import { openServiceDatabase } from './database/open-database';
import { ClientProblems } from './grants/client-problems';
import { DiscoveryCache } from './health-systems/discovery-cache';
import { PausedHosts } from './health-systems/paused-hosts';
import { Registrations } from './health-systems/registrations';
import { TokenClient } from './health-systems/token-client';
import { createLimits } from './limits';
import { OutboundHttp } from './outbound/outbound-http';
import { Users } from './users/users';
import { DeliveryLog } from './webhooks/delivery-log';
import { WebhookEndpoints } from './webhooks/webhook-endpoints';

/** The connections of the process, and the objects that routes and background jobs share. */
export type Dependencies = Awaited<ReturnType<typeof openDependencies>>;

/**
 * @param exchangeRetryMs the pause before an authorization code is sent again, in milliseconds
 * @throws Error when the database cannot be opened
 */
export async function openDependencies(config: Config, runtime: ServiceRuntime, exchangeRetryMs: number) {
  const { log, audit: trail } = runtime;
  const audit: ApiAudit = { trail, trustedProxies: config.TRUSTED_PROXIES };
  const { database, keys, kek, scopedKeys } = await openServiceDatabase(config, log);
  const redis = openRedis(config, log);
  const revocationSubscriber = openRedisSubscriber(config, log);
  await untilReady(redis, redisStartWaitMs).catch(() => undefined);
  const auth = new AuthClient(runtime.internalHttp('auth', config.AUTH_INTERNAL_URL));
  const guard = new CredentialGuard({ ...config, redis });
  const clientAuthentication = clientCredentialsAuthentication({ auth, guard });
  const rateLimits = new RateLimits(redis, config.RATE_LIMITS);
  const accessTokens = new AccessTokens(
    auth,
    revocationSubscriber,
    new FailedTokens(rateLimits, config.TRUSTED_PROXIES),
  );
  const http = new OutboundHttp({ allowPrivateAddresses: config.SANDBOX_MODE });
  const users = new Users(database, keys);
  const consentEvents = new ConsentEvents(database, trail, log);
  const signingKeys = new SigningKeys(database, keys, (keyIds) => {
    const entities = keyIds.map((id) => ({ type: 'SigningKey', id }));
    const event = {
      kind: 'key.rotated',
      action: 'U',
      outcome: 'success',
      agent: { service: serviceName },
      entities,
    } as const;
    trail.record(event).catch((error: unknown) => log.warn({ err: describeError(error) }, 'new keys are not recorded'));
  });
  const collectionQueue = new CollectionQueue(redis, log);
  return {
    config,
    log,
    audit,
    database,
    keys,
    keysStatus: new KeysStatusReader(kek, scopedKeys),
    limits: createLimits(config, redis, rateLimits),
    auth,
    directory: new DirectoryClient(runtime.internalHttp('search', config.SEARCH_INTERNAL_URL)),
    records: new RecordsClient(runtime.internalHttp('fhir-store', config.FHIR_STORE_INTERNAL_URL)),
    accessTokens,
    /** Delays attempts to guess credentials of clients. */
    guard,
    /** By the headers client_id and client_secret. */
    clientAuthentication,
    callerAuthentication: connectionCaller(accessTokens, clientAuthentication),
    http,
    consentEvents,
    users,
    registrations: new Registrations(database, keys, config.BASE_URL),
    pausedHosts: new PausedHosts(database),
    signingKeys,
    tokenClient: new TokenClient(http, signingKeys, exchangeRetryMs),
    discoveryCache: new DiscoveryCache(http),
    clientProblems: new ClientProblems(database, log),
    cookie: new BrowserCookie(config.BASE_URL),
    pendingAuthorizations: new PendingAuthorizations(database, keys),
    connectLinks: new ConnectLinks(database, keys),
    acceptedScopeFallbacks: new AcceptedScopeFallbacks(database),
    connections: new Connections(database, keys, consentEvents),
    collectionQueue,
    webhookEndpoints: new WebhookEndpoints(database, keys),
    deliveryLog: new DeliveryLog(database),
    close: async () => {
      await collectionQueue.close();
      redis.disconnect();
      revocationSubscriber.disconnect();
      await database.destroy();
    },
  };
}
