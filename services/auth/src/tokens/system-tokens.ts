import type { Pool } from 'pg';
import { systemTokenLifetime } from './lifetimes';
import { newToken, tokenHash } from './opaque-token';

const issue = `INSERT INTO system_access_token (token_sha256, client_id, scope, expires_at) VALUES ($1, $2, $3, now() + interval '${systemTokenLifetime} seconds')`;

/** Access tokens of clients themselves, which stand for no user (SMART Backend Services). */
export class SystemTokens {
  constructor(private readonly pool: Pool) {}

  /** A new access token of the client. */
  async issue(clientId: string, scope: string): Promise<string> {
    const token = newToken();
    await this.pool.query({ name: 'issue-system-token', text: issue, values: [tokenHash(token), clientId, scope] });
    return token;
  }
}
