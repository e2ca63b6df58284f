import type { TokenRevocation } from '@tributary/contracts';
import type { DataSource } from 'typeorm';

/** Whose tokens are revoked: of every user of a client and of the client itself, or of one user. */
export type TokenOwner = { clientId: string } | { serviceUserId: number };

/** How many codes and tokens worked until they were revoked. Access tokens of users end with their refresh token. */
export interface RevokedTokens {
  authorization_codes: number;
  refresh_tokens: number;
  system_access_tokens: number;
}

/** The client of a user who has codes or tokens. */
export async function clientOfUser(
  source: Pick<DataSource, 'query'>,
  serviceUserId: number,
): Promise<string | undefined> {
  const [family] = (await source.query('SELECT client_id FROM token_family WHERE service_user_id = $1 LIMIT 1', [
    serviceUserId,
  ])) as { client_id: string }[];
  return family?.client_id;
}

const familiesPerTransaction = 1000;

const liveCounts = `
  count(*) FILTER (WHERE expires_at > now() AND code_used_at IS NULL)::int AS authorization_codes,
  count(*) FILTER (WHERE expires_at > now() AND code_used_at IS NOT NULL)::int AS refresh_tokens`;

/**
 * Deletes up to a thousand families of client or user $1 with ids above $3, and adds revocation $2 to the outbox in the
 * same statement. Rows are locked in the order of their ids, as by every other revocation, so that two of them cannot
 * deadlock.
 */
const deleteFamilies = (owner: 'client_id' | 'service_user_id'): string => `
  WITH deleted AS (
    DELETE FROM token_family WHERE id IN (
      SELECT id FROM token_family WHERE ${owner} = $1 AND id > $3 ORDER BY id LIMIT ${familiesPerTransaction} FOR UPDATE)
    RETURNING id, expires_at, code_used_at
  ), published AS (
    INSERT INTO revocation_outbox (message) SELECT $2::jsonb FROM deleted LIMIT 1
  )
  SELECT max(id) AS last_id, ${liveCounts} FROM deleted`;

/** Deletes the tokens that client $1 has obtained for itself, and adds revocation $2 to the outbox. */
const deleteSystemTokens = `
  WITH deleted AS (
    DELETE FROM system_access_token WHERE client_id = $1 RETURNING expires_at
  ), published AS (
    INSERT INTO revocation_outbox (message) SELECT $2::jsonb FROM deleted LIMIT 1
  )
  SELECT count(*) FILTER (WHERE expires_at > now())::int AS system_access_tokens FROM deleted`;

interface DeletedFamilies extends Pick<RevokedTokens, 'authorization_codes' | 'refresh_tokens'> {
  /** Null: none. */
  last_id: string | null;
}

/**
 * Revokes every authorization code, access token and refresh token of a client or user, in transactions of a thousand
 * families. Each transaction adds the revocation to the outbox: the replicas of auth publish it within about two
 * seconds, and services remove the tokens from their caches. A command that is killed has revoked what it has
 * committed; when it is run again, it revokes the rest.
 */
export async function revokeTokensOf(source: DataSource, owner: TokenOwner): Promise<RevokedTokens> {
  const [column, value, revocation]: ['client_id' | 'service_user_id', string | number, TokenRevocation] =
    'clientId' in owner
      ? ['client_id', owner.clientId, { client_id: owner.clientId }]
      : ['service_user_id', owner.serviceUserId, { service_user_id: owner.serviceUserId }];
  const values = [value, JSON.stringify(revocation)];
  const revoked: RevokedTokens = { authorization_codes: 0, refresh_tokens: 0, system_access_tokens: 0 };
  // Ids are not committed in their order, so a second pass takes those that the first has passed.
  for (let pass = 1; pass <= 2; pass++) {
    for (let lastId: string | null = '0'; lastId !== null;) {
      const deleted: [DeletedFamilies] = await source.query(deleteFamilies(column), [...values, lastId]);
      lastId = deleted[0].last_id;
      revoked.authorization_codes += deleted[0].authorization_codes;
      revoked.refresh_tokens += deleted[0].refresh_tokens;
    }
  }
  if ('clientId' in owner) {
    const [ofClient] = (await source.query(deleteSystemTokens, values)) as [
      Pick<RevokedTokens, 'system_access_tokens'>,
    ];
    revoked.system_access_tokens = ofClient.system_access_tokens;
  }
  return revoked;
}
