import { HttpError } from '@tributary/service-kit';
import type { Pool, PoolClient } from 'pg';
import type { SecondFactor } from '../schemas';
import { signInAgain } from '../sessions/session-authentication';
import type { Session } from '../sessions/sessions';

/** What an account can sign in with beside its password. */
export interface Factors {
  hasTotp: boolean;
  passkeys: number;
}

const readFactors = `
  SELECT totp_sealed IS NOT NULL AS "hasTotp",
    (SELECT count(*)::int FROM passkey p WHERE p.account_id = a.id) AS passkeys,
    EXISTS (SELECT FROM recovery_code c WHERE c.account_id = a.id AND c.used_at IS NULL) AS "hasCode"
  FROM account a WHERE a.id = $1`;

/** The second factors that an account can use now. A recovery code stands in for another one. */
export async function usableFactors(pool: Pool, accountId: string): Promise<SecondFactor[]> {
  const { rows } = await pool.query<Factors & { hasCode: boolean }>(readFactors, [accountId]);
  const [{ hasTotp, passkeys, hasCode } = { hasTotp: false, passkeys: 0, hasCode: false }] = rows;
  return [
    ...(hasTotp ? (['totp'] as const) : []),
    ...(passkeys > 0 ? (['passkey'] as const) : []),
    ...(hasCode && (hasTotp || passkeys > 0) ? (['recovery_code'] as const) : []),
  ];
}

export function hasNone({ hasTotp, passkeys }: Factors): boolean {
  return !hasTotp && passkeys === 0;
}

/**
 * The second factors of the account of a session. `lockFactors` does the same in a transaction that changes them.
 * @throws HttpError 403 when the session may not change them: the first one is enrolled with the password only, and
 * others need a recent sign-in with one
 */
export async function checkMayChange(pool: Pool, session: Session): Promise<Factors> {
  return checked(session, (await pool.query<Factors>(readFactors, [session.developer])).rows[0]);
}

/**
 * Locks the account until the end of the transaction, so that two changes do not remove the last factors together, nor
 * add two first ones.
 * @throws HttpError as `checkMayChange`
 */
export async function lockFactors(on: PoolClient, session: Session): Promise<Factors> {
  // A statement of its own: one that waits for the lock would count what was there before.
  await on.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [session.developer]);
  return checked(session, (await on.query<Factors>(readFactors, [session.developer])).rows[0]);
}

function checked(session: Session, factors: Factors | undefined): Factors {
  if (!factors) throw new Error('the account of a session does not exist');
  if (hasNone(factors)) return factors;
  if (session.level !== 'second_factor')
    throw new HttpError('second_factor_required', 'the account has a second factor: sign in with it');
  if (!session.isRecent) throw signInAgain(session);
  return factors;
}
