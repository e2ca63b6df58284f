import { accessTokenLifetime, refreshTokenLifetime } from './lifetimes';
import { tokenHash } from './opaque-token';
import { presentedRefreshToken } from './refresh-token';

/** A fresh access and refresh token, as they go to the client. */
export interface TokenPair {
  accessToken: string;
  refreshToken: string;
}

/** What is stored of a pair. */
export interface PairHashes {
  access: Buffer;
  refresh: Buffer;
  handle: Buffer;
}

/** @param pair whose refresh token is a new one */
export function hashesOfPair({ accessToken, refreshToken }: TokenPair): PairHashes {
  const { hash, handleHash } = presentedRefreshToken(refreshToken);
  if (!handleHash) throw new Error('a new refresh token begins with a handle');
  return { access: tokenHash(accessToken), refresh: hash, handle: handleHash };
}

/** When a family ends that gets a pair of tokens now. */
export const endOfFamily = `now() + interval '${refreshTokenLifetime} seconds'`;

/** When an access token ends that is issued now. */
export const endOfAccessToken = `now() + interval '${accessTokenLifetime} seconds'`;
