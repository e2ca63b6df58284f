import { inTransaction } from '@tributary/service-kit';
import type { Pool } from 'pg';
import { endSessions } from '../sessions/sessions';

/** Ends the sessions of an account, and lets nobody sign in. @returns whether there is such an account */
export function disableAccount(pool: Pool, id: string): Promise<boolean> {
  return inTransaction(pool, async (on) => {
    await endSessions(on, id);
    await on.query('DELETE FROM invitation WHERE inviter_id = $1', [id]);
    const sql = 'UPDATE account SET disabled_at = coalesce(disabled_at, now()) WHERE id = $1';
    return (await on.query(sql, [id])).rowCount === 1;
  });
}

/** Undoes `disableAccount`. @returns whether there is such an account */
export async function enableAccount(pool: Pool, id: string): Promise<boolean> {
  return (await pool.query('UPDATE account SET disabled_at = NULL WHERE id = $1', [id])).rowCount === 1;
}

/** The account of an address, also one that is disabled. */
export async function accountOfAddress(
  pool: Pool,
  email: string,
): Promise<{ id: string; isVerified: boolean } | undefined> {
  const { rows } = await pool.query<{ id: string; isVerified: boolean }>(
    'SELECT id, verified_at IS NOT NULL AS "isVerified" FROM account WHERE lower(email) = lower($1)',
    [email],
  );
  return rows[0];
}

/** Makes an account one of an operator, or of none. */
export async function setOperator(pool: Pool, id: string, isOperator: boolean): Promise<void> {
  await pool.query(
    'UPDATE account SET operator_since = CASE WHEN $2 THEN coalesce(operator_since, now()) END WHERE id = $1',
    [id, isOperator],
  );
}
