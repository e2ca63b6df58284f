import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { inTransaction } from '../database/transaction';
import { tokenHash } from '../tokens/opaque-token';
import type { RefreshOverlap } from '../tokens/refresh-overlap';
import type { RevocationChannel } from './revocation-channel';

interface Family {
  id: string;
  service_user_id: string;
}

const lockFamilyOfSpentCode = `
  SELECT id, service_user_id FROM token_family
  WHERE code_sha256 = $1 AND client_id = $2 AND code_spent_at IS NOT NULL
  FOR UPDATE`;

/** Not when the use overlapped with the refresh that spent the token: it came ($3 ms ago) less than $4 ms after that was done. */
const lockFamilyOfReusedRefreshToken = `
  SELECT family.id, family.service_user_id FROM refresh_token AS token JOIN token_family AS family ON family.id = token.family_id
  WHERE token.token_sha256 = $1 AND family.client_id = $2
    AND statement_timestamp() - $3 * interval '1 millisecond' > token.spent_at + $4 * interval '1 millisecond'
  FOR UPDATE OF family`;

const lockFamilyOfRefreshToken = `
  SELECT family.id, family.service_user_id FROM refresh_token AS token JOIN token_family AS family ON family.id = token.family_id
  WHERE token.token_sha256 = $1 AND family.client_id = $2
  FOR UPDATE OF family`;

const deleteAccessTokensOfFamily = `
  WITH deleted AS (DELETE FROM access_token WHERE family_id = $1 RETURNING token_sha256, expires_at)
  SELECT token_sha256 FROM deleted WHERE expires_at > now()`;

const deleteAccessToken = `
  WITH of_user AS (
    DELETE FROM access_token USING token_family AS family
    WHERE token_sha256 = $1 AND family.id = family_id AND family.client_id = $2
    RETURNING token_sha256
  ), of_client AS (
    DELETE FROM system_access_token WHERE token_sha256 = $1 AND client_id = $2
    RETURNING token_sha256
  )
  SELECT token_sha256 FROM of_user UNION ALL SELECT token_sha256 FROM of_client`;

/** In the order of ids, so that two revocations of one user cannot deadlock. */
const deleteFamiliesOfUser = `
  DELETE FROM token_family WHERE id IN (SELECT id FROM token_family WHERE service_user_id = $1 ORDER BY id FOR UPDATE)`;

/** Ends tokens before their time. Each method returns once the tokens are dead in the database and every replica has been told. */
export class Revocations {
  constructor(
    private readonly pool: Pool,
    private readonly channel: RevocationChannel,
    private readonly log: Logger,
    private readonly overlap: RefreshOverlap,
  ) {}

  /** A code came that may be spent: when it is, the tokens it gave are revoked (RFC 6749, section 4.1.2). */
  async codeCameAgain(code: string, clientId: string): Promise<void> {
    const family = await this.#endFamily((client) => client.query<Family>(lockFamilyOfSpentCode, [tokenHash(code), clientId]));
    if (family) this.log.warn({ clientId, serviceUserId: family.service_user_id }, 'a spent authorization code came again: the tokens it gave are revoked');
  }

  /**
   * A refresh token came that may be spent: when it is, its family is revoked (RFC 9700, section 4.14.2), but for one that lost
   * against a refresh running at the same moment: that is no sign of theft, and the winner's tokens go on working.
   * @param arrivedAt when the request came, by `performance.now()`
   */
  async refreshTokenCameAgain(refreshToken: string, clientId: string, arrivedAt: number): Promise<void> {
    const family = await this.#endFamily((client) =>
      client.query<Family>(lockFamilyOfReusedRefreshToken, [tokenHash(refreshToken), clientId, performance.now() - arrivedAt, this.overlap.milliseconds]),
    );
    if (family) this.log.warn({ clientId, serviceUserId: family.service_user_id }, 'a spent refresh token came again: its family is revoked');
  }

  /**
   * Ends a token of the client: an access token alone, a refresh token with its family (RFC 7009, section 2.1).
   * @returns whether there was such a token
   * @throws HttpError 503 until every replica has been told, also of revocations before this one
   */
  async revokeToken(token: string, clientId: string): Promise<boolean> {
    const revoked = (await this.#revokeAccessToken(token, clientId)) || (await this.#revokeRefreshToken(token, clientId));
    if (!revoked) await this.channel.catchUp();
    return revoked;
  }

  /** Ends every code and token of the user. */
  async revokeTokensOfUser(serviceUserId: number): Promise<void> {
    await this.pool.query(deleteFamiliesOfUser, [serviceUserId]);
    await this.channel.tell({ service_user_id: serviceUserId });
  }

  async #revokeAccessToken(token: string, clientId: string): Promise<boolean> {
    const hash = tokenHash(token);
    const { rowCount } = await this.pool.query(deleteAccessToken, [hash, clientId]);
    if (rowCount === 0) return false;
    await this.channel.tell({ token_sha256: [hash.toString('base64url')] });
    return true;
  }

  async #revokeRefreshToken(token: string, clientId: string): Promise<boolean> {
    const family = await this.#endFamily((client) => client.query<Family>(lockFamilyOfRefreshToken, [tokenHash(token), clientId]));
    return family !== undefined;
  }

  async #endFamily(lock: (client: PoolClient) => Promise<{ rows: Family[] }>): Promise<Family | undefined> {
    const ended = await inTransaction(this.pool, async (client) => {
      const [family] = (await lock(client)).rows;
      if (!family) return undefined;
      const { rows } = await client.query<{ token_sha256: Buffer }>(deleteAccessTokensOfFamily, [family.id]);
      await client.query('DELETE FROM token_family WHERE id = $1', [family.id]);
      return { family, hashes: rows.map((row) => row.token_sha256.toString('base64url')) };
    });
    if (ended && ended.hashes.length > 0) await this.channel.tell({ token_sha256: ended.hashes });
    return ended?.family;
  }
}
