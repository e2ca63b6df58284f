import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { inRetriedTransaction } from '../database/transaction';
import { tokenHash } from '../tokens/opaque-token';
import { refreshTokenHashes } from '../tokens/refresh-token-format';
import type { RefreshTokenFamily } from '../tokens/refresh-tokens';
import { type RevocationOutbox, addToOutbox } from './revocation-outbox';

interface FamilyRow {
  id: string;
  service_user_id: string;
}

/** $1 code hash, $2 client_id. */
const lockFamilyOfUsedCode = `
  SELECT id, service_user_id FROM token_family
  WHERE code_sha256 = $1 AND client_id = $2 AND code_used_at IS NOT NULL
  FOR UPDATE`;

/** $1 family id. */
const lockFamily = 'SELECT id, service_user_id FROM token_family WHERE id = $1 FOR UPDATE';

/** $1 handle hash, $2 client_id. */
const lockFamilyOfHandle =
  'SELECT id, service_user_id FROM token_family WHERE handle_sha256 = $1 AND client_id = $2 FOR UPDATE';

/** Deletes all, and returns those that had not expired; $1 family id. */
const deleteAccessTokensOfFamily = `
  WITH deleted AS (DELETE FROM access_token WHERE family_id = $1 RETURNING token_sha256, expires_at)
  SELECT token_sha256 FROM deleted WHERE expires_at > now()`;

/** $1 token hash, $2 client_id. */
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

/** A user has few families, but their number has no limit. */
const familiesPerTransaction = 1000;

/**
 * Rows are locked in the order of their ids, so that two revocations of one user cannot deadlock; $1 service_user_id.
 */
const deleteFamiliesOfUser = `
  DELETE FROM token_family WHERE id IN (SELECT id FROM token_family WHERE service_user_id = $1 ORDER BY id LIMIT ${familiesPerTransaction} FOR UPDATE)`;

/**
 * Ends tokens before they expire. Each method resolves when the tokens are deleted and the revocation is published to
 * every replica.
 * @throws HttpError 503, from every method, when the tokens are deleted but the revocation could not be published
 */
export class Revocations {
  constructor(
    private readonly pool: Pool,
    private readonly outbox: RevocationOutbox,
    private readonly log: Logger,
  ) {}

  /**
   * A code could not be redeemed: if it has been used before, the tokens it gave are revoked (RFC 6749, section 4.1.2).
   */
  async onCodeReplay(code: string, clientId: string): Promise<void> {
    const family = await this.#revokeFamily(lockFamilyOfUsedCode, [tokenHash(code), clientId]);
    this.#warn(clientId, family, 'a used authorization code was presented again: its tokens are revoked');
  }

  /** A replaced refresh token was presented: its family is revoked (RFC 9700, section 4.14.2). */
  async onRefreshTokenReuse({ familyId, clientId }: RefreshTokenFamily): Promise<void> {
    const family = await this.#revokeFamily(lockFamily, [familyId]);
    this.#warn(clientId, family, 'a replaced refresh token was presented again: its family is revoked');
  }

  /**
   * Revokes a token of the client: an access token alone, a refresh token with its family (RFC 7009, section 2.1).
   * @returns whether there was such a token
   * @throws HttpError 503 also when an earlier revocation is still unpublished
   */
  async revokeToken(token: string, clientId: string): Promise<boolean> {
    const revoked =
      (await this.#revokeAccessToken(token, clientId)) || (await this.#revokeRefreshToken(token, clientId));
    if (!revoked) await this.outbox.flush();
    return revoked;
  }

  /** Revokes every code and token of the user, in transactions of a thousand families. */
  async revokeTokensOfUser(serviceUserId: number): Promise<void> {
    const revocation = { service_user_id: serviceUserId };
    for (let deleted = familiesPerTransaction; deleted === familiesPerTransaction;) {
      const batch = await inRetriedTransaction(this.pool, async (client) => {
        const { rowCount } = await client.query(deleteFamiliesOfUser, [serviceUserId]);
        return { deleted: rowCount ?? 0, outboxId: await addToOutbox(client, revocation) };
      });
      deleted = batch.deleted;
      await this.outbox.publish(batch.outboxId, revocation);
    }
  }

  #warn(clientId: string, family: FamilyRow | undefined, message: string): void {
    if (family) this.log.warn({ clientId, serviceUserId: family.service_user_id }, message);
  }

  async #revokeAccessToken(token: string, clientId: string): Promise<boolean> {
    const hash = tokenHash(token);
    const revocation = { token_sha256: [hash.toString('base64url')] };
    const outboxId = await inRetriedTransaction(this.pool, async (client) => {
      const { rowCount } = await client.query(deleteAccessToken, [hash, clientId]);
      return rowCount === 0 ? undefined : addToOutbox(client, revocation);
    });
    if (outboxId === undefined) return false;
    await this.outbox.publish(outboxId, revocation);
    return true;
  }

  async #revokeRefreshToken(token: string, clientId: string): Promise<boolean> {
    const hashes = refreshTokenHashes(token);
    return (
      hashes !== undefined && (await this.#revokeFamily(lockFamilyOfHandle, [hashes.handle, clientId])) !== undefined
    );
  }

  /** @param lock a statement that selects and locks the family; when it returns no row, nothing is revoked */
  async #revokeFamily(lock: string, values: unknown[]): Promise<FamilyRow | undefined> {
    const revoked = await inRetriedTransaction(this.pool, async (client) => {
      const [family] = (await client.query<FamilyRow>(lock, values)).rows;
      if (!family) return undefined;
      const { rows } = await client.query<{ token_sha256: Buffer }>(deleteAccessTokensOfFamily, [family.id]);
      await client.query('DELETE FROM token_family WHERE id = $1', [family.id]);
      const revocation = { token_sha256: rows.map((row) => row.token_sha256.toString('base64url')) };
      return { family, revocation, outboxId: rows.length > 0 ? await addToOutbox(client, revocation) : undefined };
    });
    if (revoked?.outboxId !== undefined) await this.outbox.publish(revoked.outboxId, revoked.revocation);
    return revoked?.family;
  }
}
