import type { DataSource } from 'typeorm';
import { isConsentExpired } from '../consent/consent-receipts';
import { changedRows, repeatFullBatches } from '../database/changed-rows';
import { isConnectionPaused } from '../health-systems/paused-hosts';
import { type JobColumns, beginCollection, jobColumns, jobOf } from './collection-job';
import type { CollectionQueue } from './collection-queue';

const batchSize = 500;

/**
 * After this time without a report, the job of a collection is added again. The time doubles with each addition that no
 * report follows.
 */
export const heartbeatTimeoutSeconds = 60;
const maxHeartbeatTimeoutSeconds = 1800;

/**
 * Starts due collections of active users whose consent has not run out, except at paused hosts. `SKIP LOCKED` divides
 * them among the replicas.
 */
const startDueCollections = `
UPDATE connection SET ${beginCollection('gen_random_uuid()', undefined, 'connection.next_collection_at')}
WHERE connection_id IN (
  SELECT c.connection_id FROM connection c JOIN service_user u ON u.service_user_id = c.service_user_id
  WHERE c.status IN ('active', 'failed') AND c.next_collection_at <= now() AND c.grant_id IS NOT NULL
    AND u.state = 'active' AND NOT ${isConsentExpired('c')} AND NOT ${isConnectionPaused('c')}
  ORDER BY c.next_collection_at LIMIT $1 FOR UPDATE OF c SKIP LOCKED)
RETURNING connection_id`;

const isAlive = `coalesce(heartbeat_at > now() - $2 * interval '1 second', false)`;

/** Selects collections whose job must be added for the first time, or again as it may be lost. */
const takeCollectionsToEnqueue = `
UPDATE connection SET retry_at = NULL,
  enqueue_attempts = CASE WHEN ${isAlive} THEN 0 ELSE least(enqueue_attempts + 1, 20) END,
  enqueue_at = now() + CASE WHEN ${isAlive} THEN $2 ELSE least($2 * 2 ^ enqueue_attempts, $3) END * interval '1 second'
WHERE connection_id IN (
  SELECT connection_id FROM connection c WHERE status = 'collecting' AND enqueue_at <= now()
    AND NOT ${isConsentExpired('c')} AND NOT ${isConnectionPaused('c')}
  ORDER BY enqueue_at LIMIT $1 FOR UPDATE OF c SKIP LOCKED)
RETURNING ${jobColumns}, ${isAlive} AS is_alive`;

/** After Redis lost its data: every job must be added again, except those of collections that wait to be retried. */
const resetEnqueueTimes = `
UPDATE connection SET enqueue_at = now(), enqueue_attempts = 0, heartbeat_at = NULL
WHERE connection_id IN (
  SELECT connection_id FROM connection WHERE status = 'collecting' AND enqueue_at > now() AND retry_at IS NULL
  LIMIT $1 FOR UPDATE SKIP LOCKED)
RETURNING connection_id`;

/**
 * Starts due collections, and adds the jobs of collections without a recent report to the queue; adding a job that is
 * in the queue has no effect. Each state is committed before Redis is called: a Redis that does not respond blocks no
 * row. Jobs that cannot be added are due again.
 * @throws Error while Redis is unavailable
 */
export async function enqueueDueCollections(database: DataSource, queue: CollectionQueue): Promise<void> {
  await repeatFullBatches(batchSize, () => changedRows(database, startDueCollections, [batchSize]));
  if (!(await queue.hasMarker())) {
    await repeatFullBatches(batchSize, () => changedRows(database, resetEnqueueTimes, [batchSize]));
    await queue.setMarker();
  }
  await repeatFullBatches(batchSize, async () => {
    const taken = await changedRows<JobColumns & { is_alive: boolean }>(database, takeCollectionsToEnqueue, [
      batchSize,
      heartbeatTimeoutSeconds,
      maxHeartbeatTimeoutSeconds,
    ]);
    const silent = taken.filter(({ is_alive }) => !is_alive);
    try {
      if (silent.length > 0) await queue.add(silent.map(jobOf));
    } catch (error) {
      await database.query(
        `UPDATE connection SET enqueue_at = now() WHERE connection_id = ANY($1) AND status = 'collecting'`,
        [silent.map((connection) => connection.connection_id)],
      );
      throw error;
    }
    return taken;
  });
}
