import { describeError } from '@tributary/service-kit';
import { keysRotated } from './audit/keys-rotated';
import { SigningKeys } from './client-keys/signing-keys';
import { CollectionQueue } from './collection/collection-queue';
import { CollectionReports } from './collection/collection-reports';
import { hourMs } from './config';
import { AcceptedScopeFallbacks } from './connect/accepted-scope-fallbacks';
import { ConnectLinks } from './connect/links/connect-links';
import { PendingAuthorizations } from './connect/pending-authorizations';
import { Connections } from './connections/connections';
import { ConsentEvents } from './consent/consent-events';
import { ClientProblems } from './grants/client-problems';
import { GrantAccessTokens } from './grants/grant-access-tokens';
import { GrantRefresh } from './grants/grant-refresh';
import { DiscoveryCache } from './health-systems/discovery-cache';
import { PausedHosts } from './health-systems/paused-hosts';
import { Registrations } from './health-systems/registrations';
import { TokenClient } from './health-systems/token-client';
import { UserChanges } from './users/user-changes';
import { UserCodes } from './users/user-codes';
import { Users } from './users/users';
import { DeliveryLog } from './webhooks/delivery-log';
import { WebhookEndpoints } from './webhooks/webhook-endpoints';
import { WebhookSecrets } from './webhooks/webhook-secrets';
import { WebhookSender } from './webhooks/webhook-sender';
import type { Resources } from './resources';

/** Between a failed refresh of an access token and the next one; doubled with each further failure. */
const firstRefreshDelaySeconds = 60;

/** The objects that routes and background jobs share. */
export type Components = ReturnType<typeof createComponents>;

/** Builds the components from the resources. Nothing here opens a connection. */
export function createComponents(
  { config, log, audit: { trail: audit }, database, keys, redis, auth, records, http }: Resources,
  exchangeRetryMs: number,
) {
  const users = new Users(database, keys);
  const consentEvents = new ConsentEvents(database, audit, log);
  const registrations = new Registrations(database, keys, `${config.BASE_URL}/connect/callback`);
  const signingKeys = new SigningKeys(database, keys, (keyIds) => {
    const event = keysRotated(keyIds.map((id) => ({ type: 'SigningKey', id })));
    audit.record(event).catch((error: unknown) => log.warn({ err: describeError(error) }, 'new keys are not recorded'));
  });
  const tokenClient = new TokenClient(http, signingKeys, exchangeRetryMs);
  const clientProblems = new ClientProblems(database, log);
  const refresh = new GrantRefresh({
    database,
    consentEvents,
    keys,
    registrations,
    tokenClient,
    clientProblems,
    firstDelaySeconds: firstRefreshDelaySeconds,
    log,
  });
  const webhookSecrets = new WebhookSecrets(keys);
  return {
    consentEvents,
    users,
    userCodes: new UserCodes(users, auth),
    userChanges: new UserChanges({ database, keys, consentEvents, users, auth, records }),
    registrations,
    pausedHosts: new PausedHosts(database),
    signingKeys,
    tokenClient,
    discoveryCache: new DiscoveryCache(http),
    pendingAuthorizations: new PendingAuthorizations(database, keys),
    connectLinks: new ConnectLinks(database, keys),
    acceptedScopeFallbacks: new AcceptedScopeFallbacks(database),
    connections: new Connections(database, keys, consentEvents),
    grantAccessTokens: new GrantAccessTokens(database, keys, refresh, clientProblems, firstRefreshDelaySeconds),
    collectionQueue: new CollectionQueue(redis, log),
    collectionReports: new CollectionReports(database, keys, config.COLLECT_AGAIN_AFTER_HOURS * hourMs),
    webhookEndpoints: new WebhookEndpoints(database, webhookSecrets),
    deliveryLog: new DeliveryLog(database),
    webhookSender: new WebhookSender(http, webhookSecrets),
  };
}
