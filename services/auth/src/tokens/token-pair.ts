import { accessTokenLifetime, refreshTokenLifetime } from './lifetimes';
import { newToken, tokenHash } from './opaque-token';
import { newRefreshToken, refreshTokenHashes } from './refresh-token-format';

/** A new access token and refresh token, as the client receives them. */
export interface TokenPair {
  accessToken: string;
  refreshToken: string;
}

/** The hashes that are stored of a pair. */
export interface PairHashes {
  access: Buffer;
  refresh: Buffer;
  handle: Buffer;
}

/** @param predecessor the refresh token that the pair replaces; without it the pair begins a new family */
export function newTokenPair(predecessor?: string): TokenPair {
  return { accessToken: newToken(), refreshToken: newRefreshToken(predecessor) };
}

/** @throws Error when the refresh token was not made by `newRefreshToken` */
export function pairHashes({ accessToken, refreshToken }: TokenPair): PairHashes {
  const hashes = refreshTokenHashes(refreshToken);
  if (!hashes) throw new Error('the refresh token of a new pair is malformed');
  return { access: tokenHash(accessToken), refresh: hashes.token, handle: hashes.handle };
}

/** SQL: when a family expires to which a pair is issued now; never after the end of the family. */
export const newFamilyExpiry = `LEAST(now() + interval '${refreshTokenLifetime} seconds', ends_at)`;

/**
 * SQL: stores an access token that is issued now, with the hash $3, to each family of `issued_to`. It returns the
 * lifetime in seconds, which the end of the family can shorten.
 */
export const insertAccessToken = `
  INSERT INTO access_token (token_sha256, family_id, expires_at)
  SELECT $3, id, LEAST(now() + interval '${accessTokenLifetime} seconds', ends_at) FROM issued_to
  RETURNING ceil(extract(epoch FROM expires_at - now()))::integer AS lifetime`;
