import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { inTransaction } from '../database/transaction';
import { tokenHash } from '../tokens/opaque-token';
import { presentedRefreshToken } from '../tokens/refresh-token';
import type { FamilyOfToken } from '../tokens/refresh-tokens';
import { type RevocationChannel, putIntoOutbox } from './revocation-channel';

interface Family {
  id: string;
  service_user_id: string;
}

const lockFamilyOfSpentCode = `
  SELECT id, service_user_id FROM token_family
  WHERE code_sha256 = $1 AND client_id = $2 AND code_spent_at IS NOT NULL
  FOR UPDATE`;

const lockFamily = 'SELECT id, service_user_id FROM token_family WHERE id = $1 FOR UPDATE';

const lockFamilyOfHandle =
  'SELECT id, service_user_id FROM token_family WHERE handle_sha256 = $1 AND client_id = $2 FOR UPDATE';

/** Of a refresh token of the format before. */
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

/** One user has few families, but nothing says so. */
const familiesAtOnce = 1000;

/** In the order of ids, so that two revocations of one user cannot deadlock. */
const deleteFamiliesOfUser = `
  DELETE FROM token_family WHERE id IN (SELECT id FROM token_family WHERE service_user_id = $1 ORDER BY id LIMIT ${familiesAtOnce} FOR UPDATE)`;

/** Ends tokens before their time. Each method returns once the tokens are dead in the database and the revocation is published to every replica. */
export class Revocations {
  constructor(
    private readonly pool: Pool,
    private readonly channel: RevocationChannel,
    private readonly log: Logger,
  ) {}

  /** A code came that may be spent: when it is, the tokens it gave are revoked (RFC 6749, section 4.1.2). */
  async codeCameAgain(code: string, clientId: string): Promise<void> {
    const family = await this.#endFamily(lockFamilyOfSpentCode, [tokenHash(code), clientId]);
    if (family)
      this.log.warn(
        { clientId, serviceUserId: family.service_user_id },
        'a spent authorization code came again: the tokens it gave are revoked',
      );
  }

  /** A refresh token came that is neither the current one nor may be repeated: its family is revoked (RFC 9700, section 4.14.2). */
  async refreshTokenCameAgain({ familyId, clientId }: FamilyOfToken): Promise<void> {
    const family = await this.#endFamily(lockFamily, [familyId]);
    if (family)
      this.log.warn(
        { clientId, serviceUserId: family.service_user_id },
        'a spent refresh token came again: its family is revoked',
      );
  }

  /**
   * Ends a token of the client: an access token alone, a refresh token with its family (RFC 7009, section 2.1).
   * @returns whether there was such a token
   * @throws HttpError 503 until every replica has been told, also of revocations before this one
   */
  async revokeToken(token: string, clientId: string): Promise<boolean> {
    const revoked =
      (await this.#revokeAccessToken(token, clientId)) || (await this.#revokeRefreshToken(token, clientId));
    if (!revoked) await this.channel.catchUp();
    return revoked;
  }

  /** Ends every code and token of the user, in one transaction for each thousand families. */
  async revokeTokensOfUser(serviceUserId: number): Promise<void> {
    const revocation = { service_user_id: serviceUserId };
    for (let deleted = familiesAtOnce; deleted === familiesAtOnce;) {
      const batch = await inTransaction(this.pool, async (client) => {
        const { rowCount } = await client.query(deleteFamiliesOfUser, [serviceUserId]);
        return { deleted: rowCount ?? 0, outboxId: await putIntoOutbox(client, revocation) };
      });
      deleted = batch.deleted;
      await this.channel.tell(batch.outboxId, revocation);
    }
  }

  async #revokeAccessToken(token: string, clientId: string): Promise<boolean> {
    const hash = tokenHash(token);
    const revocation = { token_sha256: [hash.toString('base64url')] };
    const outboxId = await inTransaction(this.pool, async (client) => {
      const { rowCount } = await client.query(deleteAccessToken, [hash, clientId]);
      return rowCount === 0 ? undefined : putIntoOutbox(client, revocation);
    });
    if (outboxId === undefined) return false;
    await this.channel.tell(outboxId, revocation);
    return true;
  }

  async #revokeRefreshToken(token: string, clientId: string): Promise<boolean> {
    const { hash, handleHash } = presentedRefreshToken(token);
    const family = await (handleHash
      ? this.#endFamily(lockFamilyOfHandle, [handleHash, clientId])
      : this.#endFamily(lockFamilyOfRefreshToken, [hash, clientId]));
    return family !== undefined;
  }

  /** @param lock a statement that locks the family, if it is to be ended */
  async #endFamily(lock: string, values: unknown[]): Promise<Family | undefined> {
    const ended = await inTransaction(this.pool, async (client) => {
      const [family] = (await client.query<Family>(lock, values)).rows;
      if (!family) return undefined;
      const { rows } = await client.query<{ token_sha256: Buffer }>(deleteAccessTokensOfFamily, [family.id]);
      await client.query('DELETE FROM token_family WHERE id = $1', [family.id]);
      const revocation = { token_sha256: rows.map((row) => row.token_sha256.toString('base64url')) };
      return { family, revocation, outboxId: rows.length > 0 ? await putIntoOutbox(client, revocation) : undefined };
    });
    if (ended?.outboxId !== undefined) await this.channel.tell(ended.outboxId, ended.revocation);
    return ended?.family;
  }
}
