import type { Pool, PoolClient } from 'pg';
import { inRetriedTransaction } from '../database/transaction';
import { retryGracePeriod } from './lifetimes';
import { type RefreshTokenHashes, refreshTokenHashes } from './refresh-token-format';
import { type PairHashes, type TokenPair, insertAccessToken, newFamilyExpiry, pairHashes } from './token-pair';

/** The token family of a presented refresh token. */
export interface RefreshTokenFamily {
  familyId: string;
  clientId: string;
  serviceUserId: number;
  scope: string;
  /**
   * `current`: the token is the current one of the family.
   * `retryable`: the token before it, within the grace period, and no token of the pair it gave has been used: the
   * response may have been lost.
   * `reused`: an earlier token of the family that was replaced or withdrawn.
   */
  status: 'current' | 'retryable' | 'reused';
}

/** Result of `rotate`; unless it is `rotated`, nothing has changed. */
export type Rotation =
  | {
      outcome: 'rotated';
      /** Lifetime of the new access token in seconds. */
      lifetime: number;
    }
  | { outcome: 'refused' }
  | { outcome: 'reused'; family: RefreshTokenFamily };

interface FamilyRow {
  id: string;
  client_id: string;
  service_user_id: string;
  scope: string;
  unused_access_sha256: Buffer | null;
  is_current: boolean;
  is_retryable: boolean | null;
}

/** $1 token hash, $2 handle hash. Times are those of the database: the clocks of replicas may differ. */
const selectFamily = `
  SELECT id, client_id, service_user_id, scope, unused_access_sha256,
    refresh_sha256 = $1 AS is_current,
    previous_refresh_sha256 = $1 AND unused_access_sha256 IS NOT NULL
      AND clock_timestamp() < rotated_at + interval '${retryGracePeriod} seconds' AS is_retryable
  FROM token_family WHERE handle_sha256 = $2 AND expires_at > now()`;

/**
 * Replaces the current refresh token and stores the new pair, in one statement. Of two concurrent requests the second
 * waits for the row lock, and then finds another current token. $1 token hash, $2 client_id, $3 new access token hash,
 * $4 new refresh token hash, $5 handle hash.
 */
const rotateCurrent = `
  WITH issued_to AS (
    UPDATE token_family
    SET refresh_sha256 = $4, previous_refresh_sha256 = $1, unused_access_sha256 = $3, rotated_at = clock_timestamp(), expires_at = ${newFamilyExpiry}
    WHERE handle_sha256 = $5 AND client_id = $2 AND refresh_sha256 = $1 AND expires_at > now()
    RETURNING id, ends_at
  )
  ${insertAccessToken}`;

/**
 * $1 family id, $2 token hash, $3 new access token hash, $4 new refresh token hash, $5 whether `rotated_at` stays that
 * of the first rotation.
 */
const replaceCurrent = `
  WITH issued_to AS (
    UPDATE token_family
    SET refresh_sha256 = $4, previous_refresh_sha256 = $2, unused_access_sha256 = $3, expires_at = ${newFamilyExpiry},
      rotated_at = CASE WHEN $5 THEN rotated_at ELSE clock_timestamp() END
    WHERE id = $1
    RETURNING id, ends_at
  )
  ${insertAccessToken}`;

/**
 * Refresh token rotation with reuse detection (RFC 9700, section 4.14.2). The family row holds the hash of the one
 * current token.
 *
 * A client that lost the response presents the same token again. Within the grace period, and while no token of the new
 * pair has been used, it gets another pair and the pair before is withdrawn. So after any number of requests with the
 * same token, concurrent or not, only the pair of the last one works.
 *
 * Every change of a family locks its row first. Rotation, reuse and revocation are therefore serialized and cannot
 * deadlock.
 */
export class RefreshTokens {
  constructor(private readonly pool: Pool) {}

  /** Returns the family of a refresh token that has not expired, whether or not the token still works. */
  async find(refreshToken: string): Promise<RefreshTokenFamily | undefined> {
    const presented = refreshTokenHashes(refreshToken);
    if (!presented) return undefined;
    const { rows } = await this.pool.query<FamilyRow>({
      name: 'find-family',
      text: selectFamily,
      values: [presented.token, presented.handle],
    });
    return rows[0] && familyOf(rows[0]);
  }

  /**
   * Replaces the refresh token by the pair.
   * @param isAbandoned whether the client has stopped waiting for the pair: then the pair must not replace one that the
   * client received meanwhile
   */
  async rotate(refreshToken: string, clientId: string, pair: TokenPair, isAbandoned: () => boolean): Promise<Rotation> {
    const presented = refreshTokenHashes(refreshToken);
    if (!presented) return { outcome: 'refused' };
    const hashes = pairHashes(pair);
    const { rows } = await this.pool.query<{ lifetime: number }>({
      name: 'rotate-refresh-token',
      text: rotateCurrent,
      values: [presented.token, clientId, hashes.access, hashes.refresh, presented.handle],
    });
    if (rows[0]) return { outcome: 'rotated', ...rows[0] };
    return inRetriedTransaction(this.pool, (client) =>
      rotateUnderLock(client, presented, clientId, hashes, isAbandoned),
    );
  }
}

/**
 * The path of a token that was not the current one. The lock is taken by a statement of its own, so the next ones see
 * what was committed meanwhile.
 */
async function rotateUnderLock(
  client: PoolClient,
  presented: RefreshTokenHashes,
  clientId: string,
  pair: PairHashes,
  isAbandoned: () => boolean,
): Promise<Rotation> {
  const [row] = (await client.query<FamilyRow>(`${selectFamily} FOR UPDATE`, [presented.token, presented.handle])).rows;
  if (!row || row.client_id !== clientId || isAbandoned()) return { outcome: 'refused' };
  const family = familyOf(row);
  if (family.status === 'reused') return { outcome: 'reused', family };
  const isRetry = family.status === 'retryable';
  // The withdrawn token needs no revocation message: it is unused, so no service has introspected it.
  if (isRetry) await client.query('DELETE FROM access_token WHERE token_sha256 = $1', [row.unused_access_sha256]);
  const values = [row.id, presented.token, pair.access, pair.refresh, isRetry];
  const { rows } = await client.query<{ lifetime: number }>(replaceCurrent, values);
  if (!rows[0]) throw new Error('the locked family was not updated');
  return { outcome: 'rotated', ...rows[0] };
}

function familyOf(row: FamilyRow): RefreshTokenFamily {
  return {
    familyId: row.id,
    clientId: row.client_id,
    serviceUserId: Number(row.service_user_id),
    scope: row.scope,
    status: row.is_current ? 'current' : row.is_retryable ? 'retryable' : 'reused',
  };
}
