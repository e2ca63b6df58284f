import type { Pool, PoolClient } from 'pg';
import { newSecret, secretHash } from '../secrets';

/** After this time without a request a session ends. */
export const sessionIdle = '15 minutes';
/** How long a session lasts at most, in seconds. */
export const sessionSeconds = 12 * 3600;
/** How long after a second factor the second factors can be changed. */
const recently = '10 minutes';
const challengeLife = '5 minutes';

/** A session of a developer. `developer` is the id of the account, as audit events name it. */
export interface Session {
  developer: string;
  id: string;
  email: string;
  name: string;
  level: 'password' | 'second_factor';
  secondFactorAt: Date | null;
  /** Whether a second factor was used in the last ten minutes. */
  isRecent: boolean;
  endsAt: Date;
  /** Whether the account is one of an operator. */
  isOperator: boolean;
}

/** A session as its owner sees it. */
export interface SessionEntry {
  id: string;
  level: Session['level'];
  browser: string;
  address: string;
  createdAt: Date;
  lastUsedAt: Date;
  endsAt: Date;
}

const isOpen = `s.last_used_at > now() - interval '${sessionIdle}' AND s.ends_at > now()`;
const level = `CASE WHEN s.second_factor_at IS NULL THEN 'password' ELSE 'second_factor' END AS level`;

/** The sessions of all replicas, in the database. All times are those of the database. */
export class Sessions {
  constructor(private readonly pool: Pool) {}

  /**
   * Begins a session after a password was verified.
   * @param passwordHash that of the password: no session begins by one that is changed meanwhile
   * @returns its secret, for the cookie; undefined when the password is another one now, or the account is disabled
   */
  async begin(
    accountId: string,
    passwordHash: string,
    from: { browser: string; address: string },
  ): Promise<string | undefined> {
    const secret = newSecret();
    const { rowCount } = await this.pool.query(
      `INSERT INTO session (secret_sha256, account_id, browser, address, ends_at)
       SELECT $1, id, $4, $5, now() + interval '${sessionSeconds} seconds' FROM account
       WHERE id = $2 AND password_hash = $3 AND disabled_at IS NULL FOR SHARE`,
      [secretHash(secret), accountId, passwordHash, from.browser, from.address],
    );
    return rowCount === 1 ? secret : undefined;
  }

  /**
   * The session of a secret; undefined when it has ended or its account is disabled.
   * @param isUse whether it is noted as used, and lasts longer
   */
  async find(secret: string, isUse: boolean): Promise<Session | undefined> {
    const { rows } = await this.pool.query<Session & { is_due: boolean }>(
      `SELECT s.id, s.account_id AS developer, a.email, a.name, ${level}, s.second_factor_at AS "secondFactorAt",
         coalesce(s.second_factor_at > now() - interval '${recently}', false) AS "isRecent", s.ends_at AS "endsAt",
         a.operator_since IS NOT NULL AS "isOperator", s.last_used_at < now() - interval '1 minute' AS is_due
       FROM session s JOIN account a ON a.id = s.account_id
       WHERE s.secret_sha256 = $1 AND ${isOpen} AND a.disabled_at IS NULL`,
      [secretHash(secret)],
    );
    const [row] = rows;
    if (!row) return undefined;
    const { is_due: isDue, ...session } = row;
    if (isDue && isUse) await this.pool.query('UPDATE session SET last_used_at = now() WHERE id = $1', [session.id]);
    return session;
  }

  async list(accountId: string): Promise<SessionEntry[]> {
    const { rows } = await this.pool.query<SessionEntry>(
      `SELECT s.id, ${level}, s.browser, s.address, s.created_at AS "createdAt", s.last_used_at AS "lastUsedAt",
         s.ends_at AS "endsAt"
       FROM session s WHERE s.account_id = $1 AND ${isOpen} ORDER BY s.last_used_at DESC`,
      [accountId],
    );
    return rows;
  }

  /** @returns whether the account had the session */
  async end(accountId: string, id: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('DELETE FROM session WHERE id = $1 AND account_id = $2', [
      id,
      accountId,
    ]);
    return rowCount === 1;
  }

  /** Ends the session of a secret, if there is one. */
  async endOf(secret: string): Promise<void> {
    await this.pool.query('DELETE FROM session WHERE secret_sha256 = $1', [secretHash(secret)]);
  }

  /** Stores the challenge that the next answer of a passkey must have. */
  async setChallenge(id: string, challenge: string): Promise<void> {
    await this.pool.query(
      `UPDATE session SET passkey_challenge = $2, passkey_challenge_expires_at = now() + interval '${challengeLife}'
       WHERE id = $1`,
      [id, challenge],
    );
  }

  /** The challenge, which is used up by this. */
  async takeChallenge(id: string): Promise<string | undefined> {
    const { rows } = await this.pool.query<{ challenge: string }>(
      `UPDATE session s SET passkey_challenge = NULL FROM (
         SELECT id, passkey_challenge AS challenge FROM session
         WHERE id = $1 AND passkey_challenge IS NOT NULL AND passkey_challenge_expires_at > now() FOR UPDATE) AS taken
       WHERE s.id = taken.id RETURNING taken.challenge`,
      [id],
    );
    return rows[0]?.challenge;
  }

  /** Stores the secret of an authenticator that is not confirmed yet. */
  async offerTotp(id: string, sealed: Buffer): Promise<void> {
    await this.pool.query('UPDATE session SET totp_offered_sealed = $2 WHERE id = $1', [id, sealed]);
  }

  async offeredTotp(id: string): Promise<Buffer | undefined> {
    const { rows } = await this.pool.query<{ sealed: Buffer | null }>(
      'SELECT totp_offered_sealed AS sealed FROM session WHERE id = $1',
      [id],
    );
    return rows[0]?.sealed ?? undefined;
  }
}

/**
 * Raises a session after a second factor was verified. It gets a new secret, so that one which somebody knows from
 * before opens nothing; its end stays.
 * @returns the new secret; undefined when the session has ended
 */
export async function raiseSession(on: Pool | PoolClient, id: string): Promise<string | undefined> {
  const secret = newSecret();
  const { rowCount } = await on.query(
    `UPDATE session SET secret_sha256 = $2, second_factor_at = now(), last_used_at = now(), passkey_challenge = NULL,
       totp_offered_sealed = CASE WHEN second_factor_at IS NULL THEN NULL ELSE totp_offered_sealed END
     WHERE id = $1`,
    [id, secretHash(secret)],
  );
  return rowCount === 1 ? secret : undefined;
}

/** Ends the sessions of an account, or all but one. */
export async function endSessions(on: Pool | PoolClient, accountId: string, except?: string): Promise<void> {
  await on.query('DELETE FROM session WHERE account_id = $1 AND id IS DISTINCT FROM $2::uuid', [
    accountId,
    except ?? null,
  ]);
}
