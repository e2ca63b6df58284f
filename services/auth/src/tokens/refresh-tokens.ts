import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '../database/transaction';
import { retryGracePeriod } from './lifetimes';
import { type PresentedRefreshToken, presentedRefreshToken } from './refresh-token';
import { type PairHashes, type TokenPair, endOfAccessToken, endOfFamily, hashesOfPair } from './token-pair';

/** A family of tokens, as one of its refresh tokens shows it. */
export interface FamilyOfToken {
  familyId: string;
  clientId: string;
  serviceUserId: number;
  scope: string;
  /**
   * `current`: the newest one. `repeatable`: the one before, within the grace period and while no token of the pair it gave has been used: the
   * answer may have been lost. `reused`: any other, an earlier one or one that was withdrawn.
   */
  standing: 'current' | 'repeatable' | 'reused';
}

/** What became of a refresh token that was presented: it gave the new pair, it does not work, or it was used again. */
export type Rotation = { outcome: 'rotated' } | { outcome: 'refused' } | { outcome: 'reused'; family: FamilyOfToken };

interface FamilyRow {
  id: string;
  client_id: string;
  service_user_id: string;
  scope: string;
  unused_access_sha256: Buffer | null;
  is_current: boolean;
  is_repeatable: boolean | null;
}

/** All times are those of the database: the clocks of replicas may differ. */
const familyColumns = (isCurrent: string): string => `
  family.id, family.client_id, family.service_user_id, family.scope, family.unused_access_sha256,
  coalesce(${isCurrent}, false) AS is_current,
  family.previous_refresh_sha256 = $1 AND family.unused_access_sha256 IS NOT NULL
    AND clock_timestamp() < family.rotated_at + interval '${retryGracePeriod} seconds' AS is_repeatable`;

const ofHandle = `
  SELECT ${familyColumns('family.refresh_sha256 = $1')} FROM token_family AS family
  WHERE family.handle_sha256 = $2 AND family.expires_at > now()`;

/** Tokens of the format before have a row each. */
const withoutHandle = `
  SELECT ${familyColumns('family.refresh_sha256 IS NULL AND token.spent_at IS NULL')}
  FROM token_family AS family JOIN refresh_token AS token ON token.family_id = family.id
  WHERE token.token_sha256 = $1 AND $2::bytea IS NULL AND token.expires_at > now()`;

/** Of two that come at once, the second waits for the row and then finds another current token. */
const rotateCurrent = `
  WITH rotated AS (
    UPDATE token_family
    SET refresh_sha256 = $4, previous_refresh_sha256 = $1, unused_access_sha256 = $3, rotated_at = clock_timestamp(), expires_at = ${endOfFamily}
    WHERE handle_sha256 = $5 AND client_id = $2 AND refresh_sha256 = $1 AND expires_at > now()
    RETURNING id
  )
  INSERT INTO access_token (token_sha256, family_id, expires_at) SELECT $3, id, ${endOfAccessToken} FROM rotated`;

const replace = `
  UPDATE token_family
  SET handle_sha256 = $3, refresh_sha256 = $4, previous_refresh_sha256 = $2, unused_access_sha256 = $5, expires_at = ${endOfFamily},
    rotated_at = CASE WHEN $6 THEN rotated_at ELSE clock_timestamp() END
  WHERE id = $1`;

const issueAccessToken = `INSERT INTO access_token (token_sha256, family_id, expires_at) VALUES ($1, $2, ${endOfAccessToken})`;

/**
 * Refresh tokens: each gives its successor, and the family knows its current one. A client that got no answer presents the token again: within the
 * grace period, and while no token of the successor pair has been used, it gets another pair, and the one before is withdrawn. So of any number of
 * requests with the same token, at once or one after the other, the pair of the last one works, and no other.
 * Whoever changes a family locks its row first, so refreshing, reuse and revocation come one after the other and cannot deadlock.
 */
export class RefreshTokens {
  constructor(private readonly pool: Pool) {}

  /** The family of a refresh token that has not expired, whether or not the token still works. */
  async find(refreshToken: string): Promise<FamilyOfToken | undefined> {
    const presented = presentedRefreshToken(refreshToken);
    const statement = presented.handleHash
      ? { name: 'find-family-of-handle', text: ofHandle }
      : { name: 'find-family-without-handle', text: withoutHandle };
    const { rows } = await this.pool.query<FamilyRow>({
      ...statement,
      values: [presented.hash, presented.handleHash ?? null],
    });
    return rows[0] && familyOf(rows[0]);
  }

  /**
   * Replaces the refresh token by the pair, or says why not: nothing has changed then.
   * @param isAbandoned whether the client no longer waits for the pair: it must not replace one that the client has got meanwhile
   */
  async rotate(refreshToken: string, clientId: string, pair: TokenPair, isAbandoned: () => boolean): Promise<Rotation> {
    const presented = presentedRefreshToken(refreshToken);
    const hashes = hashesOfPair(pair);
    if (presented.handleHash) {
      const values = [presented.hash, clientId, hashes.access, hashes.refresh, presented.handleHash];
      const { rowCount } = await this.pool.query({ name: 'rotate-refresh-token', text: rotateCurrent, values });
      if (rowCount === 1) return { outcome: 'rotated' };
    }
    return inTransaction(this.pool, (client) => rotateUnderLock(client, presented, clientId, hashes, isAbandoned));
  }
}

/** Statements of their own, each of which sees what was committed while the first one waited for the lock. */
async function rotateUnderLock(
  client: PoolClient,
  presented: PresentedRefreshToken,
  clientId: string,
  pair: PairHashes,
  isAbandoned: () => boolean,
): Promise<Rotation> {
  const lock = presented.handleHash
    ? `${ofHandle} FOR UPDATE OF family`
    : `${withoutHandle} FOR UPDATE OF family, token`;
  const [row] = (await client.query<FamilyRow>(lock, [presented.hash, presented.handleHash ?? null])).rows;
  if (!row || row.client_id !== clientId || isAbandoned()) return { outcome: 'refused' };
  const family = familyOf(row);
  if (family.standing === 'reused') return { outcome: 'reused', family };
  const isRepeated = family.standing === 'repeatable';
  // Nobody has to be told: no service has been asked about this token, or it would not be unused.
  if (isRepeated) await client.query('DELETE FROM access_token WHERE token_sha256 = $1', [row.unused_access_sha256]);
  if (!presented.handleHash)
    await client.query(
      'UPDATE refresh_token SET spent_at = clock_timestamp() WHERE token_sha256 = $1 AND spent_at IS NULL',
      [presented.hash],
    );
  await client.query(replace, [row.id, presented.hash, pair.handle, pair.refresh, pair.access, isRepeated]);
  await client.query(issueAccessToken, [pair.access, row.id]);
  return { outcome: 'rotated' };
}

function familyOf(row: FamilyRow): FamilyOfToken {
  const standing = row.is_current ? 'current' : row.is_repeatable ? 'repeatable' : 'reused';
  return {
    familyId: row.id,
    clientId: row.client_id,
    serviceUserId: Number(row.service_user_id),
    scope: row.scope,
    standing,
  };
}
