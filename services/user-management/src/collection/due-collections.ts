import type { DataSource } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import { type ConnectionOfJob, beginCollection, columnsOfJob, jobOf } from './collection-job';
import type { CollectionQueue } from './collection-queue';

const atOnce = 500;

/** How long a collection may be silent before its job is added again. The time doubles each time that nobody has reported meanwhile. */
export const quietSeconds = 60;
const longestQuietSeconds = 1800;

/** Starts the collections whose time has come, as of active users; several replicas share them out. */
const startDue = `
UPDATE connection SET ${beginCollection('gen_random_uuid()')}
WHERE connection_id IN (
  SELECT c.connection_id FROM connection c JOIN service_user u ON u.service_user_id = c.service_user_id
  WHERE c.status IN ('active', 'failed') AND c.next_collection_at <= now() AND c.grant_id IS NOT NULL AND u.state = 'active'
  ORDER BY c.next_collection_at LIMIT $1 FOR UPDATE OF c SKIP LOCKED)
RETURNING connection_id`;

const isAlive = `coalesce(heartbeat_at > now() - $2 * interval '1 second', false)`;

/** Takes the collections whose jobs are to be added, or whose jobs the queue may have lost. */
const takeUnqueued = `
UPDATE connection SET retry_at = NULL,
  queue_checks = CASE WHEN ${isAlive} THEN 0 ELSE least(queue_checks + 1, 20) END,
  queue_at = now() + CASE WHEN ${isAlive} THEN $2 ELSE least($2 * 2 ^ queue_checks, $3) END * interval '1 second'
WHERE connection_id IN (
  SELECT connection_id FROM connection WHERE status = 'collecting' AND queue_at <= now() ORDER BY queue_at LIMIT $1 FOR UPDATE SKIP LOCKED)
RETURNING ${columnsOfJob}, ${isAlive} AS is_alive`;

/** After Redis lost its data: every job is to be added again, but those of collections that wait for a health system. */
const forgetQueued = `
UPDATE connection SET queue_at = now(), queue_checks = 0, heartbeat_at = NULL
WHERE connection_id IN (
  SELECT connection_id FROM connection WHERE status = 'collecting' AND queue_at > now() AND retry_at IS NULL LIMIT $1 FOR UPDATE SKIP LOCKED)
RETURNING connection_id`;

/**
 * Starts what is due, and adds the jobs of collections that nobody has reported on for a while: adding a job that is there does nothing.
 * The state is committed before Redis is asked: a Redis that hangs holds no row. Jobs whose addition fails are due again.
 * @throws when Redis is away
 */
export async function queueDueCollections(source: DataSource, queue: CollectionQueue): Promise<void> {
  await whileFull(() => changedRows(source, startDue, [atOnce]));
  if (!(await queue.isMarked())) {
    await whileFull(() => changedRows(source, forgetQueued, [atOnce]));
    await queue.mark();
  }
  await whileFull(async () => {
    const taken = await changedRows<ConnectionOfJob & { is_alive: boolean }>(source, takeUnqueued, [
      atOnce,
      quietSeconds,
      longestQuietSeconds,
    ]);
    const silent = taken.filter(({ is_alive }) => !is_alive);
    try {
      if (silent.length > 0) await queue.add(silent.map(jobOf));
    } catch (error) {
      await source.query(
        `UPDATE connection SET queue_at = now() WHERE connection_id = ANY($1) AND status = 'collecting'`,
        [silent.map((connection) => connection.connection_id)],
      );
      throw error;
    }
    return taken;
  });
}

/** Runs a statement that takes at most `atOnce` rows until it finds fewer. */
async function whileFull(take: () => Promise<unknown[]>): Promise<void> {
  while ((await take()).length === atOnce);
}
