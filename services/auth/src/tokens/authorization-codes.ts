import type { Pool } from 'pg';
import { codeLifetime } from './lifetimes';
import { newToken, tokenHash } from './opaque-token';
import { type TokenPair, endOfAccessToken, endOfFamily, hashesOfPair } from './token-pair';

/** A code that has been spent, or still works. */
export interface KnownCode {
  clientId: string;
  serviceUserId: number;
  scope: string;
  spent: boolean;
}

const issue = `
  INSERT INTO token_family (client_id, service_user_id, scope, code_sha256, code_expires_at, expires_at)
  SELECT client_id, $2, $3, $4, now() + interval '${codeLifetime} seconds', now() + interval '${codeLifetime} seconds'
  FROM client_application WHERE client_id = $1`;

const find = `
  SELECT client_id, service_user_id, scope, code_spent_at IS NOT NULL AS spent
  FROM token_family WHERE code_sha256 = $1 AND (code_spent_at IS NOT NULL OR code_expires_at > now())`;

/**
 * Of two that come at once, the second waits for the first and then finds the code spent. Spending and issuing in one statement, there is no moment
 * in which one is done without the other.
 */
const exchange = `
  WITH spent AS (
    UPDATE token_family SET code_spent_at = now(), expires_at = ${endOfFamily}, refresh_sha256 = $4, handle_sha256 = $5
    WHERE code_sha256 = $1 AND client_id = $2 AND code_spent_at IS NULL AND code_expires_at > now()
    RETURNING id
  )
  INSERT INTO access_token (token_sha256, family_id, expires_at) SELECT $3, id, ${endOfAccessToken} FROM spent`;

/** Authorization codes: each begins a family of tokens. */
export class AuthorizationCodes {
  constructor(private readonly pool: Pool) {}

  /** A new code, or undefined when there is no such client. */
  async issue(clientId: string, serviceUserId: number, scope: string): Promise<string | undefined> {
    const code = newToken();
    const { rowCount } = await this.pool.query({
      name: 'issue-code',
      text: issue,
      values: [clientId, serviceUserId, scope, tokenHash(code)],
    });
    return rowCount === 1 ? code : undefined;
  }

  async find(code: string): Promise<KnownCode | undefined> {
    const { rows } = await this.pool.query<{
      client_id: string;
      service_user_id: string;
      scope: string;
      spent: boolean;
    }>({ name: 'find-code', text: find, values: [tokenHash(code)] });
    const [row] = rows;
    return (
      row && { clientId: row.client_id, serviceUserId: Number(row.service_user_id), scope: row.scope, spent: row.spent }
    );
  }

  /** Spends the code for a pair of tokens. False when it is spent, expired, revoked or not of this client: nothing has changed then. */
  async exchange(code: string, clientId: string, pair: TokenPair): Promise<boolean> {
    const { access, refresh, handle } = hashesOfPair(pair);
    const { rowCount } = await this.pool.query({
      name: 'exchange-code',
      text: exchange,
      values: [tokenHash(code), clientId, access, refresh, handle],
    });
    return rowCount === 1;
  }
}
