import type { LiveToken } from '@tributary/contracts';
import type { Pool } from 'pg';
import { tokenHash } from './opaque-token';

interface LiveTokenRow {
  token_sha256: Buffer;
  client_id: string;
  service_user_id: string | null;
  scope: string;
  expires_at: number;
}

const expiry = 'floor(extract(epoch FROM token.expires_at))::float8 AS expires_at';
const columns = `family.client_id, family.service_user_id, family.scope, ${expiry}`;

const liveAccessTokens = `
  SELECT token.token_sha256, ${columns} FROM access_token AS token JOIN token_family AS family ON family.id = token.family_id
  WHERE token.token_sha256 = ANY ($1) AND token.expires_at > now()
  UNION ALL
  SELECT token.token_sha256, token.client_id, NULL, token.scope, ${expiry} FROM system_access_token AS token
  WHERE token.token_sha256 = ANY ($1) AND token.expires_at > now()`;

const liveRefreshToken = `
  SELECT token.token_sha256, ${columns} FROM refresh_token AS token JOIN token_family AS family ON family.id = token.family_id
  WHERE token.token_sha256 = $1 AND token.expires_at > now() AND token.spent_at IS NULL`;

/** What tokens that still work stand for. */
export class LiveTokens {
  constructor(private readonly pool: Pool) {}

  /** Of a user, or of a client itself. */
  async accessToken(token: string): Promise<LiveToken | undefined> {
    return (await this.accessTokens([token]))[0];
  }

  /** Of users, or of clients themselves, in the order of the tokens. */
  async accessTokens(tokens: readonly string[]): Promise<(LiveToken | undefined)[]> {
    const hashes = tokens.map(tokenHash);
    const { rows } = await this.pool.query<LiveTokenRow>({ name: 'live-access-tokens', text: liveAccessTokens, values: [hashes] });
    const found = new Map(rows.map((row) => [row.token_sha256.toString('hex'), row]));
    return hashes.map((hash) => liveToken(found.get(hash.toString('hex'))));
  }

  async refreshToken(token: string): Promise<LiveToken | undefined> {
    const { rows } = await this.pool.query<LiveTokenRow>({ name: 'live-refresh-token', text: liveRefreshToken, values: [tokenHash(token)] });
    return liveToken(rows[0]);
  }
}

function liveToken(row: LiveTokenRow | undefined): LiveToken | undefined {
  return row && { active: true, client_id: row.client_id, ...(row.service_user_id === null ? {} : { service_user_id: Number(row.service_user_id) }), scope: row.scope, expires_at: row.expires_at };
}
