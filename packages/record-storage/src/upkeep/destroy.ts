import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { type Statement, run } from '../postgres/statement';
import { databaseClock } from '../write/batch-statements';

/** Destroys the key; the tombstone stays. $1 user. Gives the time at which the record was destroyed, now or before. */
const destroyKey: Statement = {
  name: 'destroy-key',
  text: `
    INSERT INTO fhir_store.record AS r (user_id, created_at, destroyed_at) VALUES ($1, ${databaseClock}, ${databaseClock})
    ON CONFLICT (user_id) DO UPDATE SET wrapped_key = NULL, destroyed_at = coalesce(r.destroyed_at, excluded.destroyed_at)
    RETURNING destroyed_at`,
};
const snapshotTime: Statement = { name: 'destroy-snapshot-time', text: `SELECT fhir_store.snapshot_time()` };
const deleteRows: readonly Statement[] = [
  { name: 'destroy-resources', text: `DELETE FROM fhir_store.resource WHERE user_id = $1` },
  { name: 'destroy-versions', text: `DELETE FROM fhir_store.version WHERE user_id = $1` },
  { name: 'destroy-blocks', text: `DELETE FROM fhir_store.block WHERE user_id = $1` },
];

const LONGEST_WAIT_MS = 5000;

/**
 * Destroys a record for good: first its key, which makes all copies of it unreadable, then its rows. Writes that began
 * before the key went are waited for, so that their rows go too; should one hang on, what it leaves is unreadable.
 */
export async function destroyRecord(pool: Pool, userId: number): Promise<void> {
  const [row] = await run(pool, destroyKey, [userId]);
  await writersBeforeEnded(pool, Number(row?.[0]));
  for (const statement of deleteRows) await run(pool, statement, [userId]);
}

async function writersBeforeEnded(pool: Pool, time: number): Promise<void> {
  for (const giveUp = Date.now() + LONGEST_WAIT_MS; Date.now() < giveUp; await sleep(20)) {
    const [row] = await run(pool, snapshotTime, []);
    if (Number(row?.[0]) > time) return;
  }
}
