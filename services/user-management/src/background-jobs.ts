import { rewrapDataKeys } from '@tributary/key-providers';
import { startPeriodicTask } from '@tributary/service-kit';
import { enqueueDueCollections } from './collection/due-collections';
import { measureQueue } from './collection/measure-queue';
import { hourMs, serviceName } from './config';
import { revokeExpiredConnections } from './consent/expired-consents';
import { deleteOldConsents } from './consent/retained-consents';
import type { Dependencies } from './dependencies';
import { deleteOldClientOutcomes } from './outcomes/client-outcomes';
import { deleteOldOutcomes } from './outcomes/connect-outcomes';
import { revokeTokens } from './revocations/revoke-tokens';
import { deleteClients } from './users/delete-clients';
import { finishUserChanges } from './users/user-changes';
import { closeEndpoints } from './webhooks/close-endpoints';
import { WebhookDispatcher } from './webhooks/webhook-dispatcher';

/** As often as Prometheus asks. */
const measureMs = 15_000;

/**
 * Starts the periodic tasks. Every replica runs all of them; leases and locks in the database divide the work.
 * @returns stops them, and waits for the runs and webhook deliveries in progress
 */
export function startBackgroundJobs(dependencies: Dependencies): () => Promise<void> {
  const { config, log, database, collectionQueue, keys, audit } = dependencies;
  const dispatcher = new WebhookDispatcher(dependencies);
  const sweepMs = config.SWEEP_EVERY_SECONDS * 1000;
  const webhooksMs = config.DELIVER_WEBHOOKS_EVERY_SECONDS * 1000;
  const jobs: [name: string, intervalMs: number, run: () => Promise<unknown>][] = [
    ['finishing changes of users', sweepMs, () => finishUserChanges(dependencies)],
    ['deleting clients', sweepMs, () => deleteClients(dependencies)],
    ['revoking expired connections', sweepMs, () => revokeExpiredConnections(dependencies)],
    ['recording events of consents', sweepMs, () => dependencies.consentEvents.record()],
    ['enqueueing due collections', sweepMs, () => enqueueDueCollections(database, collectionQueue)],
    ['measuring the queue of collections', measureMs, () => measureQueue(collectionQueue)],
    ['delivering webhooks', webhooksMs, () => dispatcher.dispatchDue()],
    ['closing webhook endpoints', sweepMs, () => closeEndpoints(database)],
    ['revoking tokens of deleted grants', sweepMs, () => revokeTokens(dependencies)],
    ['deleting expired authorizations', hourMs, () => dependencies.pendingAuthorizations.deleteExpired()],
    ['deleting expired connect links', hourMs, () => dependencies.connectLinks.deleteExpired()],
    ['deleting old consents of deleted users', hourMs, () => deleteOldConsents(database)],
    ['deleting old counts of outcomes', hourMs, () => deleteOldOutcomes(database)],
    ['deleting old counts of clients', hourMs, () => deleteOldClientOutcomes(database)],
    ['deleting old webhook events', hourMs, () => dependencies.deliveryLog.deleteOld()],
    ['rotating the signing keys of our client', hourMs, () => dependencies.signingKeys.maintain()],
    ['rewrapping data keys', hourMs, () => rewrapDataKeys({ service: serviceName, keys, audit: audit.trail, log })],
  ];
  const tasks = jobs.map(([name, intervalMs, run]) => startPeriodicTask({ name, intervalMs, run, log }));
  return async () => {
    await Promise.all(tasks.map((task) => task.stop()));
    await dispatcher.stop();
  };
}
