import type { Pool } from 'pg';
import type { AuthenticatedClient } from '../client-authentication/client-authentication';
import { codeLifetime } from './lifetimes';
import { newToken, tokenHash } from './opaque-token';
import { type TokenPair, insertAccessToken, newFamilyExpiry, pairHashes } from './token-pair';

/** A code that can still be redeemed, or that has been used. */
export interface AuthorizationCode {
  clientId: string;
  serviceUserId: number;
  scope: string;
  isUsed: boolean;
}

/** $1 client_id, $2 service_user_id, $3 scope, $4 code hash, $5 days until the family ends. */
const insertFamily = `
  INSERT INTO token_family (client_id, service_user_id, scope, code_sha256, code_expires_at, expires_at, ends_at)
  SELECT client_id, $2, $3, $4, now() + interval '${codeLifetime} seconds', now() + interval '${codeLifetime} seconds', now() + $5 * interval '1 day'
  FROM client_application WHERE client_id = $1 AND disabled_at IS NULL`;

/** $1 code hash. */
const selectCode = `
  SELECT client_id, service_user_id, scope, code_used_at IS NOT NULL AS is_used
  FROM token_family WHERE code_sha256 = $1 AND (code_used_at IS NOT NULL OR code_expires_at > now())`;

/**
 * Marks the code as used and stores the first pair of its family, in one statement: neither can happen without the
 * other. Of two concurrent requests the second waits for the row lock, and then finds the code used. $1 code hash, $2
 * client_id, $3 access token hash, $4 refresh token hash, $5 handle hash, $6 scope, $7 developer.
 */
const redeemCode = `
  WITH issued_to AS (
    UPDATE token_family SET code_used_at = now(), expires_at = ${newFamilyExpiry}, refresh_sha256 = $4, handle_sha256 = $5,
      scope = $6, developer = $7
    WHERE code_sha256 = $1 AND client_id = $2 AND code_used_at IS NULL AND code_expires_at > now()
    RETURNING id, ends_at
  )
  ${insertAccessToken}`;

/** Authorization codes (RFC 6749, section 4.1); each begins a token family. */
export class AuthorizationCodes {
  /** @param familyDays how many days after its code every token of a family ends */
  constructor(
    private readonly pool: Pool,
    private readonly familyDays: number,
  ) {}

  /** Returns a new code, or undefined when the client does not exist or is disabled. */
  async issue(clientId: string, serviceUserId: number, scope: string): Promise<string | undefined> {
    const code = newToken();
    const { rowCount } = await this.pool.query({
      name: 'issue-code',
      text: insertFamily,
      values: [clientId, serviceUserId, scope, tokenHash(code), this.familyDays],
    });
    return rowCount === 1 ? code : undefined;
  }

  async find(code: string): Promise<AuthorizationCode | undefined> {
    const { rows } = await this.pool.query<{
      client_id: string;
      service_user_id: string;
      scope: string;
      is_used: boolean;
    }>({ name: 'find-code', text: selectCode, values: [tokenHash(code)] });
    const [row] = rows;
    return (
      row && {
        clientId: row.client_id,
        serviceUserId: Number(row.service_user_id),
        scope: row.scope,
        isUsed: row.is_used,
      }
    );
  }

  /**
   * Exchanges the code for the pair.
   * @param scope of the tokens of the family; at most that of the code
   * @param developer who acts for the client by a temporary secret
   * @returns false, with nothing changed, when the code is used, expired, revoked, or issued to another client
   */
  async redeem(
    code: string,
    { clientId, developer }: Pick<AuthenticatedClient, 'clientId' | 'developer'>,
    pair: TokenPair,
    scope: string,
  ): Promise<boolean> {
    const { access, refresh, handle } = pairHashes(pair);
    const { rowCount } = await this.pool.query({
      name: 'redeem-code',
      text: redeemCode,
      values: [tokenHash(code), clientId, access, refresh, handle, scope, developer ?? null],
    });
    return rowCount === 1;
  }
}
