import type { Pool } from 'pg';
import { accessTokenLifetime } from './lifetimes';
import { newToken, tokenHash } from './opaque-token';
import { insertAccessToken } from './token-pair';

/**
 * Stores a family that ends with its only access token. $1 client_id, $2 service_user_id, $3 access token hash, $4
 * scope, $5 the hash of a code that nobody has.
 */
const insertSingleToken = `
  WITH issued_to AS (
    INSERT INTO token_family (client_id, service_user_id, scope, code_sha256, code_expires_at, code_used_at, expires_at, ends_at)
    SELECT client_id, $2, $4, $5, now(), now(), now() + interval '${accessTokenLifetime} seconds',
      now() + interval '${accessTokenLifetime} seconds'
    FROM client_application WHERE client_id = $1 AND disabled_at IS NULL
    RETURNING id, ends_at
  )
  ${insertAccessToken}`;

/** Access tokens for the pages of the service itself, which begin without a code and cannot be refreshed. */
export class AccessTokens {
  constructor(private readonly pool: Pool) {}

  /** Returns a new access token, or undefined when the client does not exist or is disabled. */
  async issue(clientId: string, serviceUserId: number, scope: string): Promise<string | undefined> {
    const token = newToken();
    const { rowCount } = await this.pool.query({
      name: 'issue-access-token',
      text: insertSingleToken,
      values: [clientId, serviceUserId, tokenHash(token), scope, tokenHash(newToken())],
    });
    return rowCount === 1 ? token : undefined;
  }
}
