import type { CollectionJob, ConnectionStatus } from '@tributary/contracts';
import type { DataSource } from 'typeorm';
import { isConsentExpired } from '../consent/consent-receipts';
import { changedRows } from '../database/changed-rows';
import { type JobColumns, beginCollection, jobColumns, jobOf } from './collection-job';

export type RequeueRefusal = 'unknown' | 'revoked' | 'consent_ended' | 'needs_reauthorization' | 'user_inactive';

/** Only these connections can be collected; $1 connection id. */
const collectable = `
  SELECT c.connection_id FROM connection c JOIN service_user u ON u.service_user_id = c.service_user_id
  WHERE c.connection_id = $1 AND c.grant_id IS NOT NULL AND u.state = 'active' AND NOT ${isConsentExpired('c')}
  FOR UPDATE OF c`;

const begin = `
  UPDATE connection SET ${beginCollection('gen_random_uuid()')}
  WHERE connection_id IN (${collectable}) AND status IN ('active', 'failed', 'needs_reauthorization')
  RETURNING ${jobColumns}`;

/** The job of a collection in progress is added again at once; it has no effect while the job is in the queue. */
const hasten = `
  UPDATE connection SET retry_at = NULL, enqueue_at = now(), enqueue_attempts = 0
  WHERE connection_id IN (${collectable}) AND status = 'collecting'
  RETURNING ${jobColumns}`;

/**
 * Makes a collection of the connection due at once: a new one, or the one in progress without its delay. The next sweep
 * of any replica adds its job. A repeated call changes nothing more.
 * @returns the job of the collection, and whether it is a new one; or why there is none
 */
export async function requeueCollection(
  database: DataSource,
  connectionId: string,
): Promise<{ job: CollectionJob; is_new: boolean } | { refusal: RequeueRefusal }> {
  for (const [statement, is_new] of [
    [hasten, false],
    [begin, true],
    // Another call may have begun one in between.
    [hasten, false],
  ] as const) {
    const [changed] = await changedRows<JobColumns>(database, statement, [connectionId]);
    if (changed) return { job: jobOf(changed), is_new };
  }
  return { refusal: await refusalOf(database, connectionId) };
}

async function refusalOf(database: DataSource, connectionId: string): Promise<RequeueRefusal> {
  const [row] = (await database.query(
    `SELECT c.status, u.state, ${isConsentExpired('c')} AS is_expired
     FROM connection c JOIN service_user u ON u.service_user_id = c.service_user_id WHERE c.connection_id = $1`,
    [connectionId],
  )) as { status: ConnectionStatus; state: string; is_expired: boolean }[];
  if (!row) return 'unknown';
  if (row.status === 'revoked') return 'revoked';
  if (row.is_expired) return 'consent_ended';
  return row.state === 'active' ? 'needs_reauthorization' : 'user_inactive';
}
