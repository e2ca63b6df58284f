import type { Pool, PoolClient } from 'pg';
import { newSecret, secretHash } from '../secrets';

const lives = { verify: '24 hours', reset: '1 hour' } as const;
type Purpose = keyof typeof lives;

/**
 * Makes the token of a link in a mail. Earlier ones of the account for the same purpose end.
 * @returns the token
 */
export async function newEmailToken(on: PoolClient, accountId: string, purpose: Purpose): Promise<string> {
  const token = newSecret();
  await endEmailTokens(on, accountId, purpose);
  await on.query(
    `INSERT INTO email_token (token_sha256, account_id, purpose, expires_at)
     VALUES ($1, $2, $3, now() + interval '${lives[purpose]}')`,
    [secretHash(token), accountId, purpose],
  );
  return token;
}

/** The account of a token, which stays valid; undefined when it has ended. */
export async function accountOfToken(
  on: Pool,
  token: string,
  purpose: Purpose,
): Promise<{ id: string; email: string; passwordHash: string } | undefined> {
  const { rows } = await on.query<{ id: string; email: string; passwordHash: string }>(
    `SELECT a.id, a.email, a.password_hash AS "passwordHash" FROM email_token t JOIN account a ON a.id = t.account_id
     WHERE t.token_sha256 = $1 AND t.purpose = $2 AND t.expires_at > now() AND a.disabled_at IS NULL`,
    [secretHash(token), purpose],
  );
  return rows[0];
}

/**
 * Uses up a token. Of concurrent requests one succeeds, as the others wait for its transaction.
 * @returns the id of the account; undefined when the token has ended
 */
export async function takeEmailToken(on: PoolClient, token: string, purpose: Purpose): Promise<string | undefined> {
  const { rows } = await on.query<{ id: string }>(
    `DELETE FROM email_token WHERE token_sha256 = $1 AND purpose = $2 AND expires_at > now() RETURNING account_id AS id`,
    [secretHash(token), purpose],
  );
  return rows[0]?.id;
}

export async function endEmailTokens(on: PoolClient, accountId: string, purpose: Purpose): Promise<void> {
  await on.query('DELETE FROM email_token WHERE account_id = $1 AND purpose = $2', [accountId, purpose]);
}
