import type { CollectionJob } from '@tributary/contracts';
import type { DataSource } from 'typeorm';
import { changedRows } from '../database/changed-rows';
import type { CollectionQueue } from './collection-queue';

const atOnce = 500;

/** Starts the collections whose time has come, as of active users; several replicas share them out. */
const startDue = `
UPDATE connection SET status = 'collecting', collection_id = gen_random_uuid(), queued_at = NULL, progress = '[]', error = NULL, next_collection_at = NULL
WHERE connection_id IN (
  SELECT c.connection_id FROM connection c JOIN service_user u ON u.service_user_id = c.service_user_id
  WHERE c.status IN ('active', 'failed') AND c.next_collection_at <= now() AND c.grant_id IS NOT NULL AND u.state = 'active'
  ORDER BY c.next_collection_at LIMIT $1 FOR UPDATE OF c SKIP LOCKED)
RETURNING connection_id`;

/** Takes the collections that nobody has queued or reported on for a while. */
const takeUnqueued = `
UPDATE connection SET queued_at = now()
WHERE connection_id IN (
  SELECT connection_id FROM connection
  WHERE status = 'collecting' AND (queued_at IS NULL OR queued_at < now() - $2 * interval '1 second')
  ORDER BY queued_at NULLS FIRST LIMIT $1 FOR UPDATE SKIP LOCKED)
RETURNING connection_id, collection_id`;

/**
 * Starts what is due, and puts every collection that the queue may have lost into it again: adding a job that is there does nothing.
 * @param quietSeconds how long a collection may be silent before it is queued again
 */
export async function queueDueCollections(source: DataSource, queue: CollectionQueue, quietSeconds = 60): Promise<CollectionJob[]> {
  await changedRows(source, startDue, [atOnce]);
  return source.transaction(async (manager) => {
    const jobs = await changedRows<CollectionJob>(manager, takeUnqueued, [atOnce, quietSeconds]);
    if (jobs.length > 0) await queue.add(jobs);
    return jobs;
  });
}
