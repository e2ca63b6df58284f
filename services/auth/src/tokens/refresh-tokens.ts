import type { Pool } from 'pg';
import { tokenHash } from './opaque-token';
import { type TokenPair, endOfFamily, hashesOfPair, issuePairToSpent } from './token-pair';

/** A refresh token that is known, whether or not it still works. */
export interface KnownRefreshToken {
  clientId: string;
  serviceUserId: number;
  scope: string;
  expiresAt: Date;
  spent: boolean;
}

const find = `
  SELECT family.client_id, family.service_user_id, family.scope, token.expires_at, token.spent_at IS NOT NULL AS spent
  FROM refresh_token AS token JOIN token_family AS family ON family.id = token.family_id
  WHERE token.token_sha256 = $1`;

/**
 * Whoever changes a family locks its row first, so refreshing, reuse and revocation come one after the other and cannot deadlock.
 * `spent_at` is the clock and not `now()`, which may lie before a wait for that lock.
 */
const rotate = `
  WITH family AS (
    SELECT family.id FROM refresh_token AS token JOIN token_family AS family ON family.id = token.family_id
    WHERE token.token_sha256 = $1 AND family.client_id = $2
    FOR UPDATE OF family
  ), spent AS (
    UPDATE refresh_token AS token SET spent_at = clock_timestamp() FROM family
    WHERE token.token_sha256 = $1 AND token.spent_at IS NULL AND token.expires_at > now()
    RETURNING token.family_id
  ), prolonged AS (
    UPDATE token_family SET expires_at = ${endOfFamily} FROM spent WHERE token_family.id = spent.family_id
  ), ${issuePairToSpent}`;

/** Refresh tokens: each works once and gives its successor. Spent ones are kept until they expire, to know them when they come again. */
export class RefreshTokens {
  constructor(private readonly pool: Pool) {}

  async find(refreshToken: string): Promise<KnownRefreshToken | undefined> {
    const { rows } = await this.pool.query<{ client_id: string; service_user_id: string; scope: string; expires_at: Date; spent: boolean }>({ name: 'find-refresh-token', text: find, values: [tokenHash(refreshToken)] });
    const [row] = rows;
    return row && { clientId: row.client_id, serviceUserId: Number(row.service_user_id), scope: row.scope, expiresAt: row.expires_at, spent: row.spent };
  }

  /** Spends the refresh token for a new pair. False when it is spent, expired, revoked or not of this client: nothing has changed then. */
  async rotate(refreshToken: string, clientId: string, pair: TokenPair): Promise<boolean> {
    const { rowCount } = await this.pool.query({ name: 'rotate-refresh-token', text: rotate, values: [tokenHash(refreshToken), clientId, ...hashesOfPair(pair)] });
    return rowCount === 1;
  }
}
