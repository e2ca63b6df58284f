import { randomBytes } from 'node:crypto';
import { tokenHash } from './opaque-token';

const handleBytes = 16;
const secretBytes = 32;
const length = Math.ceil(((handleBytes + secretBytes) * 8) / 6);
const wellFormed = new RegExp(`^[A-Za-z0-9_-]{${length}}$`);

/** The hashes by which a refresh token is looked up. */
export interface RefreshTokenHashes {
  token: Buffer;
  handle: Buffer;
}

/**
 * Returns a new refresh token: the 128-bit handle of its family followed by a 256-bit secret, as 64 characters of
 * base64url.
 *
 * All refresh tokens of a family begin with the same handle. Whoever presents the handle with another secret than that
 * of the current token holds an earlier token of the family, so reuse is detected although earlier tokens are not
 * stored. Nobody without a token of the family can trigger it.
 * @param predecessor a refresh token of the family; without it the token begins a new family
 */
export function newRefreshToken(predecessor?: string): string {
  const handle = predecessor === undefined ? randomBytes(handleBytes) : handleOf(predecessor);
  return Buffer.concat([handle, randomBytes(secretBytes)]).toString('base64url');
}

/** Returns the hashes of a presented refresh token; undefined when the text does not have the format of one. */
export function refreshTokenHashes(token: string): RefreshTokenHashes | undefined {
  if (!wellFormed.test(token)) return undefined;
  return { token: tokenHash(token), handle: tokenHash(handleOf(token).toString('base64url')) };
}

function handleOf(token: string): Buffer {
  return Buffer.from(token, 'base64url').subarray(0, handleBytes);
}
