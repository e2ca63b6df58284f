import { accessTokenLifetime, refreshTokenLifetime } from './lifetimes';
import { newToken, tokenHash } from './opaque-token';

/** A fresh access and refresh token, as they go to the client. */
export interface TokenPair {
  accessToken: string;
  refreshToken: string;
}

export function newTokenPair(): TokenPair {
  return { accessToken: newToken(), refreshToken: newToken() };
}

/** Parameters $3 and $4 of `issuePairToSpent`. */
export function hashesOfPair({ accessToken, refreshToken }: TokenPair): [Buffer, Buffer] {
  return [tokenHash(accessToken), tokenHash(refreshToken)];
}

/** When a family ends that gets a pair of tokens now. */
export const endOfFamily = `now() + interval '${refreshTokenLifetime} seconds'`;

/**
 * The rest of a statement that spends a code or a refresh token: gives a pair of tokens to the family in each row of `spent`.
 * Spending and issuing in one statement, there is no moment in which one is done without the other.
 */
export const issuePairToSpent = `
  access AS (
    INSERT INTO access_token (token_sha256, family_id, expires_at)
    SELECT $3, family_id, now() + interval '${accessTokenLifetime} seconds' FROM spent
  ), refresh AS (
    INSERT INTO refresh_token (token_sha256, family_id, expires_at)
    SELECT $4, family_id, ${endOfFamily} FROM spent
  )
  SELECT FROM spent`;
