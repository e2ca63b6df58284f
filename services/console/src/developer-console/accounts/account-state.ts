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

/** The id of the account of an address, also of one that is disabled. */
export async function accountOfAddress(pool: Pool, email: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM account WHERE lower(email) = lower($1)', [email]);
  return rows[0]?.id;
}

/**
 * Makes an account one of an operator, or of none.
 * @returns false, with nothing changed, when it is to be one of an operator, and the password alone can enrol a second
 * factor: until the address is verified, whoever signs up last sets the password
 */
export async function setOperator(pool: Pool, id: string, isOperator: boolean): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE account a SET operator_since = CASE WHEN $2 THEN coalesce(operator_since, now()) END
     WHERE id = $1 AND (NOT $2 OR (verified_at IS NOT NULL
       AND (totp_sealed IS NOT NULL OR EXISTS (SELECT FROM passkey p WHERE p.account_id = a.id))))`,
    [id, isOperator],
  );
  return rowCount === 1;
}
