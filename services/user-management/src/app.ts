import { AuthClient, DirectoryClient, InternalHttp, RecordsClient } from '@tributary/contracts';
import { AccessTokens, Api, type RunningService, openRedis, rateLimit, untilReady } from '@tributary/service-kit';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { Attempts } from './connect/pending-authorizations';
import { BrowserCookie } from './connect/browser-cookie';
import { addConnectRoutes } from './connect/connect-routes';
import { jsonOrPage } from './connect/error-page';
import { SigningKeys } from './client-keys/signing-keys';
import { CollectionQueue } from './collection/collection-queue';
import { queueDueCollections } from './collection/due-collections';
import type { Config } from './config';
import { CollectionReports } from './collection/collection-reports';
import { PatientIds } from './connections/patient-ids';
import { addConnectionRoutes } from './connections/connection-routes';
import { Connections } from './connections/connections';
import { ForgetGrants } from './grants/delete-grants';
import { EstablishConnections } from './connections/save-connections';
import { ForgetConnections } from './connections/delete-connections';
import { addInternalConnectionRoutes } from './connections/internal-routes';
import { openServiceDatabase } from './database/open-service-database';
import { ClientProblems } from './grants/client-problems';
import { GrantRefresh } from './grants/grant-refresh';
import { GrantTokens } from './grants/grant-tokens';
import { GrantAccessTokens } from './grants/grant-access-tokens';
import { DiscoveryCache } from './health-systems/discovery-cache';
import { Registrations } from './health-systems/registrations';
import { TokenEndpoint } from './health-systems/token-endpoint';
import { OutboundHttp } from './outbound/outbound-http';
import { RevocationEndpoint } from './revocations/revocation-endpoint';
import { revokeTokens } from './revocations/revoke-tokens';
import { TokenRevocations } from './revocations/token-revocations';
import { periodically } from './schedule/periodically';
import { rewrapDataKeys } from './schedule/rewrap-data-keys';
import { AppUserIds } from './users/app-user-ids';
import { finishUserChanges } from './users/finish-user-changes';
import { UserChanges } from './users/user-changes';
import { UserCodes } from './users/user-codes';
import { UserKeys } from './users/user-keys';
import { addUserRoutes } from './users/user-routes';
import { Users } from './users/users';
import { DeliveryQueue } from './webhooks/delivery-queue';
import { WebhookSender } from './webhooks/webhook-sender';
import { WebhookDispatcher } from './webhooks/webhook-dispatcher';
import { WebhookEndpoints } from './webhooks/webhook-endpoints';
import { addWebhookRoutes } from './webhooks/webhook-routes';
import { WebhookSecrets } from './webhooks/webhook-secrets';

export const serviceName = 'user-management';

const hourMs = 3_600_000;

/** Puts the service together from its configuration. */
export async function start(config: Config, log: Logger): Promise<RunningService> {
  const { source, keys } = await openServiceDatabase(config);
  const redis = openRedis(config.REDIS_URL, log);
  const revocations = openRedis(config.REDIS_URL, log);
  // What comes right after the start finds Redis, where there is one.
  await untilReady(redis, 2000).catch(() => undefined);
  const calls = (service: string, baseUrl: string): InternalHttp =>
    new InternalHttp({ service, baseUrl, caller: serviceName, key: config.SERVICE_KEY });
  const auth = new AuthClient(calls('auth', config.AUTH_INTERNAL_URL));
  const directory = new DirectoryClient(calls('search', config.SEARCH_INTERNAL_URL));
  const records = new RecordsClient(calls('fhir-store', config.FHIR_STORE_INTERNAL_URL));
  const tokens = new AccessTokens(auth, revocations);
  const http = new OutboundHttp({ allowPrivateAddresses: config.SANDBOX_MODE });

  const userKeys = new UserKeys(keys);
  const grantTokens = new GrantTokens(userKeys);
  const tokenRevocations = new TokenRevocations(source, keys);
  const forgetGrants = new ForgetGrants(grantTokens, tokenRevocations);
  const users = new Users(source, new AppUserIds(keys));
  const changes = new UserChanges({
    users,
    auth,
    records,
    connections: new ForgetConnections(source, userKeys, forgetGrants),
  });

  const queue = new CollectionQueue(redis, log);
  const connections = new Connections(source, forgetGrants);
  const patients = new PatientIds(userKeys);
  const registrations = new Registrations(source, keys);
  const signingKeys = new SigningKeys(source, keys);
  const discoveries = new DiscoveryCache(http);
  const endpoint = new TokenEndpoint(http, signingKeys);
  const problems = new ClientProblems(source, log);
  const refresh = new GrantRefresh({
    source,
    tokens: grantTokens,
    registrations,
    endpoint,
    events: {
      lost: (grant) => connections.lost(grant),
      clientNotAccepted: (grant, problem) => problems.note(grant, problem),
    },
    revocations: tokenRevocations,
    log,
  });
  const attempts = new Attempts(source, userKeys);

  const webhookSecrets = new WebhookSecrets(keys);
  const endpoints = new WebhookEndpoints(source, webhookSecrets);
  const sender = new WebhookSender(http, webhookSecrets);
  const couriers = new WebhookDispatcher({ turns: new DeliveryQueue(source), sender, endpoints, log });

  const publicApi = new Api({
    title: 'User management and connect',
    description: 'Users, and their connections to health systems.',
    serverUrl: config.BASE_URL,
    errorFormat: jsonOrPage,
    log,
  });
  const hourly = (name: string): RequestHandler =>
    rateLimit({
      redis,
      name,
      limit: config.RATE_LIMIT_PER_HOUR,
      windowMs: hourMs,
      keyOf: (response) => (response.locals['principal'] as { client_id: string }).client_id,
    });
  addUserRoutes(publicApi, {
    auth,
    users,
    codes: new UserCodes(users, auth),
    changes,
    hourlyLimit: hourly(serviceName),
  });
  addConnectRoutes(publicApi, {
    auth,
    tokens,
    users,
    directory,
    discoveries,
    registrations,
    attempts,
    endpoint,
    queue,
    signingKeys,
    establish: new EstablishConnections(source, grantTokens, patients),
    cookie: new BrowserCookie(config.BASE_URL),
    callbackUrl: `${config.BASE_URL}/connect/callback`,
    sandboxMode: config.SANDBOX_MODE,
  });
  addConnectionRoutes(publicApi, { tokens, connections, queue });
  addWebhookRoutes(publicApi, { auth, endpoints, sender, http, hourlyLimit: hourly(`${serviceName}-webhooks`) });

  const internalApi = new Api({
    title: 'Connections, for the worker',
    description: '',
    serverUrl: config.BASE_URL,
    errorFormat: jsonOrPage,
    log,
    documentation: false,
  });
  addInternalConnectionRoutes(internalApi, {
    source,
    callers: config.SERVICE_KEYS,
    connections,
    patients,
    access: new GrantAccessTokens(source, grantTokens, refresh),
    reports: new CollectionReports(source, config.COLLECT_AGAIN_AFTER_HOURS * hourMs),
  });

  const everyMs = config.SWEEP_EVERY_SECONDS * 1000;
  const sweeps = [
    periodically('finishing changes of users', everyMs, () => finishUserChanges(users, changes, log), log),
    periodically('queueing due collections', everyMs, () => queueDueCollections(source, queue), log),
    periodically(
      'delivering webhooks',
      config.DELIVER_WEBHOOKS_EVERY_SECONDS * 1000,
      () => couriers.dispatchDue(),
      log,
    ),
    periodically(
      'revoking tokens of forgotten connections',
      everyMs,
      () =>
        revokeTokens({
          revocations: tokenRevocations,
          discoveries,
          registrations,
          endpoint: new RevocationEndpoint(http, signingKeys),
          log,
        }),
      log,
    ),
    periodically('looking for webhooks that nobody delivers', hourMs, () => endpoints.scheduleForgotten(), log),
    periodically('removing expired authorizations', hourMs, () => attempts.removeExpired(), log),
    periodically('rotating the keys of our client', hourMs, () => signingKeys.maintain(), log),
    periodically('wrapping data keys by the newest key-encryption key', hourMs, () => rewrapDataKeys(keys, log), log),
  ];
  return {
    publicApp: publicApi.express(),
    internalApp: internalApi.express(),
    // Without Redis or auth much of the service still works, and what does not answers 503; to take away all replicas would help nobody.
    ready: { database: () => source.query('SELECT 1') },
    stop: async () => {
      await Promise.all(sweeps.map((sweep) => sweep.stop()));
      await couriers.stop();
      redis.disconnect();
      await queue.close();
      revocations.disconnect();
      await source.destroy();
    },
  };
}
