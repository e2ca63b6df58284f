import type { LiveToken } from '@tributary/contracts';
import type { Pool } from 'pg';
import { tokenHash } from './opaque-token';

interface LiveTokenRow {
  client_id: string;
  service_user_id: string | null;
  scope: string;
  expires_at: number;
}

const expiry = 'floor(extract(epoch FROM token.expires_at))::float8 AS expires_at';
const columns = `family.client_id, family.service_user_id, family.scope, ${expiry}`;

const liveAccessToken = `
  SELECT ${columns} FROM access_token AS token JOIN token_family AS family ON family.id = token.family_id
  WHERE token.token_sha256 = $1 AND token.expires_at > now()
  UNION ALL
  SELECT token.client_id, NULL, token.scope, ${expiry} FROM system_access_token AS token
  WHERE token.token_sha256 = $1 AND token.expires_at > now()`;

const liveRefreshToken = `
  SELECT ${columns} FROM refresh_token AS token JOIN token_family AS family ON family.id = token.family_id
  WHERE token.token_sha256 = $1 AND token.expires_at > now() AND token.spent_at IS NULL`;

/** What tokens that still work stand for. */
export class LiveTokens {
  constructor(private readonly pool: Pool) {}

  /** Of a user, or of a client itself. */
  accessToken(token: string): Promise<LiveToken | undefined> {
    return this.#find('live-access-token', liveAccessToken, token);
  }

  refreshToken(token: string): Promise<LiveToken | undefined> {
    return this.#find('live-refresh-token', liveRefreshToken, token);
  }

  async #find(name: string, text: string, token: string): Promise<LiveToken | undefined> {
    const { rows } = await this.pool.query<LiveTokenRow>({ name, text, values: [tokenHash(token)] });
    const [row] = rows;
    return row && { active: true, client_id: row.client_id, ...(row.service_user_id === null ? {} : { service_user_id: Number(row.service_user_id) }), scope: row.scope, expires_at: row.expires_at };
  }
}
