import type { LiveToken } from '@tributary/contracts';
import type { Pool } from 'pg';
import { tokenHash } from './opaque-token';
import { presentedRefreshToken } from './refresh-token';

interface LiveTokenRow {
  token_sha256: Buffer;
  family_id: string | null;
  client_id: string;
  service_user_id: string | null;
  scope: string;
  expires_at: number;
  /** The hash of the access token of the newest pair, when this is the first use of that pair. */
  first_use_of: Buffer | null;
}

const expiryOf = (row: string): string => `floor(extract(epoch FROM ${row}.expires_at))::float8 AS expires_at`;
const family = 'family.id AS family_id, family.client_id, family.service_user_id, family.scope';

const liveAccessTokens = `
  SELECT token.token_sha256, ${family}, ${expiryOf('token')},
    CASE WHEN family.unused_access_sha256 = token.token_sha256 THEN token.token_sha256 END AS first_use_of
  FROM access_token AS token JOIN token_family AS family ON family.id = token.family_id
  WHERE token.token_sha256 = ANY ($1) AND token.expires_at > now()
  UNION ALL
  SELECT token.token_sha256, NULL, token.client_id, NULL, token.scope, ${expiryOf('token')}, NULL FROM system_access_token AS token
  WHERE token.token_sha256 = ANY ($1) AND token.expires_at > now()`;

const liveRefreshToken = `
  SELECT family.refresh_sha256 AS token_sha256, ${family}, ${expiryOf('family')}, family.unused_access_sha256 AS first_use_of
  FROM token_family AS family WHERE family.handle_sha256 = $2 AND family.refresh_sha256 = $1 AND family.expires_at > now()
  UNION ALL
  SELECT token.token_sha256, ${family}, ${expiryOf('token')}, NULL
  FROM refresh_token AS token JOIN token_family AS family ON family.id = token.family_id
  WHERE token.token_sha256 = $1 AND token.expires_at > now() AND token.spent_at IS NULL AND family.refresh_sha256 IS NULL`;

/** In the order of ids, so that two of these cannot deadlock. A pair that was withdrawn in between has another hash by now. */
const markAsUsed = `
  WITH first_used AS (
    SELECT id FROM token_family WHERE id = ANY ($1) AND unused_access_sha256 = ANY ($2) ORDER BY id FOR UPDATE
  )
  UPDATE token_family SET unused_access_sha256 = NULL FROM first_used WHERE token_family.id = first_used.id`;

/**
 * What tokens that still work stand for. The first question about a token of a pair that a refresh gave marks the pair as used, before it is answered:
 * from then on the refresh token before it gives no other pair. That is one write for each refresh, and none for any other question. It is not left
 * for later: an answer that is out, and not marked, would let a service remember a token that is withdrawn a moment later.
 */
export class LiveTokens {
  constructor(private readonly pool: Pool) {}

  /** Of a user, or of a client itself. */
  async accessToken(token: string): Promise<LiveToken | undefined> {
    return (await this.accessTokens([token]))[0];
  }

  /** Of users, or of clients themselves, in the order of the tokens. */
  async accessTokens(tokens: readonly string[]): Promise<(LiveToken | undefined)[]> {
    const hashes = tokens.map(tokenHash);
    const rows = await this.#used(() => this.#rows('live-access-tokens', liveAccessTokens, [hashes]));
    const found = new Map(rows.map((row) => [row.token_sha256.toString('hex'), row]));
    return hashes.map((hash) => liveToken(found.get(hash.toString('hex'))));
  }

  async refreshToken(token: string): Promise<LiveToken | undefined> {
    const { hash, handleHash } = presentedRefreshToken(token);
    const [row] = await this.#used(() =>
      this.#rows('live-refresh-token', liveRefreshToken, [hash, handleHash ?? null]),
    );
    return liveToken(row);
  }

  /** The client of a live token. The question does not count as a use of the token. */
  async clientOf(token: string): Promise<string | undefined> {
    const { hash, handleHash } = presentedRefreshToken(token);
    const [access] = await this.#rows('live-access-tokens', liveAccessTokens, [[hash]]);
    const [row] = access
      ? [access]
      : await this.#rows('live-refresh-token', liveRefreshToken, [hash, handleHash ?? null]);
    return row?.client_id;
  }

  /** Marks what is used for the first time and then looks again: in between the token may have been withdrawn. */
  async #used(find: () => Promise<LiveTokenRow[]>): Promise<LiveTokenRow[]> {
    const rows = await find();
    const firstUses = rows.filter(({ first_use_of }) => first_use_of !== null);
    if (firstUses.length === 0) return rows;
    const values = [firstUses.map(({ family_id }) => family_id), firstUses.map(({ first_use_of }) => first_use_of)];
    await this.pool.query({ name: 'mark-as-used', text: markAsUsed, values });
    return find();
  }

  async #rows(name: string, text: string, values: unknown[]): Promise<LiveTokenRow[]> {
    return (await this.pool.query<LiveTokenRow>({ name, text, values })).rows;
  }
}

function liveToken(row: LiveTokenRow | undefined): LiveToken | undefined {
  if (!row) return undefined;
  const user = row.service_user_id === null ? {} : { service_user_id: Number(row.service_user_id) };
  return { active: true, client_id: row.client_id, ...user, scope: row.scope, expires_at: row.expires_at };
}
