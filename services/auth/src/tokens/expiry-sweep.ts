import { type PeriodicTask, startPeriodicTask } from '@tributary/service-kit';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

const intervalMs = 60_000;
const batchSize = 2000;

/**
 * One replica sweeps at a time: the advisory lock makes the statements of the others delete nothing. Batches are small,
 * so that no statement holds many row locks or runs for long. Expired access tokens are deleted before their families,
 * which cascade to the rest.
 */
const statements = [
  { table: 'access_token', key: 'token_sha256' },
  { table: 'token_family', key: 'id' },
  { table: 'system_access_token', key: 'token_sha256' },
  { table: 'used_assertion', key: 'client_id, jti_sha256' },
  { table: 'temporary_secret', key: 'secret_sha256' },
].map(
  ({ table, key }) => `
  WITH sweep_lock AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtextextended('auth expiry sweep', 0)) AS held)
  DELETE FROM ${table} WHERE (${key}) IN (
    SELECT ${key} FROM ${table} WHERE expires_at < now() AND (SELECT held FROM sweep_lock) ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
);

/**
 * Deletes expired codes, tokens, used assertions and temporary secrets every minute. It only bounds the size of the
 * tables: every statement checks the expiry itself.
 */
export function startExpirySweep(pool: Pool, log: Logger): PeriodicTask {
  return startPeriodicTask({
    name: 'the deletion of expired tokens',
    intervalMs,
    runsAtStart: true,
    run: (signal) => deleteExpired(pool, signal),
    log,
  });
}

/**
 * Deletes all expired rows, unless another replica does so at the moment. Stops after the current batch when the signal
 * is aborted.
 */
export async function deleteExpired(pool: Pool, signal?: AbortSignal): Promise<void> {
  for (const statement of statements) {
    let deleted = batchSize;
    while (deleted === batchSize && !signal?.aborted) deleted = (await pool.query(statement)).rowCount ?? 0;
  }
}
