import { type PeriodicTask, startPeriodicTask } from '@tributary/service-kit';
import { keysRotated } from './audit/keys-rotated';
import { enqueueDueCollections } from './collection/due-collections';
import type { Components } from './components';
import { revokeExpiredConnections } from './consent/expired-consents';
import { deleteOldConsents } from './consent/retained-consents';
import { deleteOldOutcomes } from './outcomes/connect-outcomes';
import type { Resources } from './resources';
import { RevocationClient } from './revocations/revocation-client';
import { revokeTokens } from './revocations/revoke-tokens';
import { hourMs } from './config';
import { deleteClients } from './users/delete-clients';
import { finishUserChanges } from './users/finish-user-changes';
import { closeEndpoints } from './webhooks/close-endpoints';
import { DeliveryQueue } from './webhooks/delivery-queue';
import { WebhookDispatcher } from './webhooks/webhook-dispatcher';

export interface BackgroundJobs {
  /** Waits for the runs and webhook deliveries in progress. */
  stop(): Promise<void>;
}

/** Starts the periodic tasks. Every replica runs all of them; leases and locks in the database divide the work. */
export function startBackgroundJobs(resources: Resources, components: Components): BackgroundJobs {
  const { config, log, audit, database, keys, http, auth } = resources;
  const { users, userChanges, signingKeys, pendingAuthorizations, connectLinks, collectionQueue, webhookEndpoints } =
    components;
  const { connections, consentEvents } = components;
  const dispatcher = new WebhookDispatcher({
    queue: new DeliveryQueue(database),
    sender: components.webhookSender,
    endpoints: webhookEndpoints,
    audit: audit.trail,
    log,
  });
  const revocations = {
    database,
    keys,
    discoveryCache: components.discoveryCache,
    registrations: components.registrations,
    revocationClient: new RevocationClient(http, signingKeys),
    log,
  };
  const sweepMs = config.SWEEP_EVERY_SECONDS * 1000;
  const webhooksMs = config.DELIVER_WEBHOOKS_EVERY_SECONDS * 1000;
  const repeat = (name: string, intervalMs: number, run: () => Promise<unknown>): PeriodicTask =>
    startPeriodicTask({ name, intervalMs, run, log });
  const tasks = [
    repeat('finishing changes of users', sweepMs, () => finishUserChanges(users, userChanges, log)),
    repeat('deleting clients', sweepMs, () => deleteClients({ database, keys, auth, webhookEndpoints, log })),
    repeat('revoking expired connections', sweepMs, () => revokeExpiredConnections(database, connections, log)),
    repeat('recording events of consents', sweepMs, () => consentEvents.record()),
    repeat('enqueueing due collections', sweepMs, () => enqueueDueCollections(database, collectionQueue)),
    repeat('delivering webhooks', webhooksMs, () => dispatcher.dispatchDue()),
    repeat('closing webhook endpoints', sweepMs, () => closeEndpoints(database)),
    repeat('revoking tokens of deleted grants', sweepMs, () => revokeTokens(revocations)),
    repeat('deleting expired authorizations', hourMs, () => pendingAuthorizations.deleteExpired()),
    repeat('deleting expired connect links', hourMs, () => connectLinks.deleteExpired()),
    repeat('deleting old consents of deleted users', hourMs, () => deleteOldConsents(database)),
    repeat('deleting old counts of outcomes', hourMs, () => deleteOldOutcomes(database)),
    repeat('deleting old webhook events', hourMs, () => components.deliveryLog.deleteOld()),
    repeat('rotating the signing keys of our client', hourMs, () => signingKeys.maintain()),
    repeat('rewrapping data keys', hourMs, () => rewrapDataKeys(resources)),
  ];
  return {
    stop: async () => {
      await Promise.all(tasks.map((task) => task.stop()));
      await dispatcher.stop();
    },
  };
}

/** Wraps all data keys by the newest key-encryption key, and logs those that no key-encryption key opens. */
async function rewrapDataKeys({ keys, log, audit }: Resources): Promise<void> {
  const { rewrapped, unopened, unopenedIds } = await keys.rewrapAll();
  if (rewrapped > 0) {
    log.info({ rewrapped }, 'data keys are wrapped by the new key-encryption key');
    await audit.trail.record(keysRotated([{ type: 'DataKey', count: rewrapped }]));
  }
  if (unopened > 0)
    log.warn({ unopened, scopes: unopenedIds }, 'data keys are wrapped by a key-encryption key that is not known');
}
