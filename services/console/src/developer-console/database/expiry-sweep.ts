import type { Pool } from 'pg';
import { sessionIdle } from '../sessions/sessions';

const batchSize = 1000;

/** What has expired, by the index that finds it. */
const expired = [
  { table: 'session', key: 'id', condition: `last_used_at < now() - interval '${sessionIdle}'` },
  { table: 'email_token', key: 'token_sha256', condition: 'expires_at < now()' },
  { table: 'invitation', key: 'id', condition: 'expires_at < now()' },
  { table: 'account', key: 'id', condition: `verified_at IS NULL AND created_at < now() - interval '7 days'` },
];

/**
 * Deletes expired rows: sessions, links of mails, invitations, and accounts whose address was not verified in seven
 * days. It only bounds the size of the tables: every statement checks the expiry itself. Rows that another replica
 * deletes at the moment are skipped.
 */
export async function deleteExpired(pool: Pool, signal?: AbortSignal): Promise<void> {
  for (const { table, key, condition } of expired) {
    const statement = `DELETE FROM ${table} WHERE ${key} IN (
      SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`;
    let deleted = batchSize;
    while (deleted === batchSize && !signal?.aborted) deleted = (await pool.query(statement)).rowCount ?? 0;
  }
}
