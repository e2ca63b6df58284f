import type { ClientMode, LiveToken } from '@tributary/contracts';
import type { Pool } from 'pg';
import { tokenHash } from '../tokens/opaque-token';
import { refreshTokenHashes } from '../tokens/refresh-token-format';

interface ActiveTokenRow {
  token_sha256: Buffer;
  family_id: string | null;
  client_id: string;
  service_user_id: string | null;
  mode: ClientMode;
  scope: string;
  developer: string | null;
  /** Seconds since 1970. */
  expires_at: number;
  /** Hash of the access token of the newest pair, when this is the first use of that pair. */
  first_use_of: Buffer | null;
}

const expiryOf = (row: string): string => `floor(extract(epoch FROM ${row}.expires_at))::float8 AS expires_at`;
const familyColumns =
  'family.id AS family_id, family.client_id, family.service_user_id, client.mode, family.scope, family.developer';
/** The tokens of a disabled client are not active. */
const clientOf = (row: string): string =>
  `JOIN client_application AS client ON client.client_id = ${row}.client_id AND client.disabled_at IS NULL`;

/** $1 token hashes. */
const selectAccessTokens = `
  SELECT token.token_sha256, ${familyColumns}, ${expiryOf('token')},
    CASE WHEN family.unused_access_sha256 = token.token_sha256 THEN token.token_sha256 END AS first_use_of
  FROM access_token AS token JOIN token_family AS family ON family.id = token.family_id ${clientOf('family')}
  WHERE token.token_sha256 = ANY ($1) AND token.expires_at > now()
  UNION ALL
  SELECT token.token_sha256, NULL, token.client_id, NULL, client.mode, token.scope, NULL, ${expiryOf('token')}, NULL
  FROM system_access_token AS token ${clientOf('token')}
  WHERE token.token_sha256 = ANY ($1) AND token.expires_at > now()`;

/** $1 token hash, $2 handle hash. */
const selectRefreshToken = `
  SELECT family.refresh_sha256 AS token_sha256, ${familyColumns}, ${expiryOf('family')}, family.unused_access_sha256 AS first_use_of
  FROM token_family AS family ${clientOf('family')} WHERE family.handle_sha256 = $2 AND family.refresh_sha256 = $1 AND family.expires_at > now()`;

/**
 * $1 family ids, $2 hashes of the unused access tokens: a pair that was withdrawn meanwhile has another hash. Rows are
 * locked in the order of their ids, so that two of these statements cannot deadlock.
 */
const markPairsAsUsed = `
  WITH first_used AS (
    SELECT id FROM token_family WHERE id = ANY ($1) AND unused_access_sha256 = ANY ($2) ORDER BY id FOR UPDATE
  )
  UPDATE token_family SET unused_access_sha256 = NULL FROM first_used WHERE token_family.id = first_used.id`;

/**
 * Token introspection. The first introspection of a token that a refresh issued marks its pair as used before it
 * returns: from then on the previous refresh token gives no other pair. That is one write for each refresh. It cannot
 * be deferred: a service may cache the result, and would then accept a token that a retried refresh withdraws.
 */
export class ActiveTokens {
  constructor(private readonly pool: Pool) {}

  /** Returns the access token of a user or of a client, or undefined when it is not active. */
  async findAccessToken(token: string): Promise<LiveToken | undefined> {
    return (await this.findAccessTokens([token]))[0];
  }

  /** Returns one result for each token, in the order of the tokens. */
  async findAccessTokens(tokens: readonly string[]): Promise<(LiveToken | undefined)[]> {
    const hashes = tokens.map(tokenHash);
    const rows = await this.#selectAndMarkAsUsed(() => this.#selectAccessTokens(hashes));
    const found = new Map(rows.map((row) => [row.token_sha256.toString('hex'), row]));
    return hashes.map((hash) => liveToken(found.get(hash.toString('hex'))));
  }

  async findRefreshToken(token: string): Promise<LiveToken | undefined> {
    const [row] = await this.#selectAndMarkAsUsed(() => this.#selectRefreshToken(token));
    return liveToken(row);
  }

  /** Returns the client_id of an active token of any type. This lookup does not count as a use of the token. */
  async findClientOf(token: string): Promise<string | undefined> {
    const [accessToken] = await this.#selectAccessTokens([tokenHash(token)]);
    const row = accessToken ?? (await this.#selectRefreshToken(token))[0];
    return row?.client_id;
  }

  /** Selects again after marking, because a retried refresh may have withdrawn the token between the two statements. */
  async #selectAndMarkAsUsed(select: () => Promise<ActiveTokenRow[]>): Promise<ActiveTokenRow[]> {
    const rows = await select();
    const firstUses = rows.filter(({ first_use_of }) => first_use_of !== null);
    if (firstUses.length === 0) return rows;
    await this.pool.query({
      name: 'mark-pairs-as-used',
      text: markPairsAsUsed,
      values: [firstUses.map(({ family_id }) => family_id), firstUses.map(({ first_use_of }) => first_use_of)],
    });
    return select();
  }

  async #selectAccessTokens(hashes: Buffer[]): Promise<ActiveTokenRow[]> {
    const statement = { name: 'active-access-tokens', text: selectAccessTokens, values: [hashes] };
    return (await this.pool.query<ActiveTokenRow>(statement)).rows;
  }

  async #selectRefreshToken(token: string): Promise<ActiveTokenRow[]> {
    const hashes = refreshTokenHashes(token);
    if (!hashes) return [];
    const values = [hashes.token, hashes.handle];
    return (await this.pool.query<ActiveTokenRow>({ name: 'active-refresh-token', text: selectRefreshToken, values }))
      .rows;
  }
}

function liveToken(row: ActiveTokenRow | undefined): LiveToken | undefined {
  if (!row) return undefined;
  const user = row.service_user_id === null ? {} : { service_user_id: Number(row.service_user_id) };
  const { client_id, mode, scope, developer, expires_at } = row;
  return { active: true, client_id, ...user, mode, scope, ...(developer === null ? {} : { developer }), expires_at };
}
