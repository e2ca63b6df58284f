import { createHash, randomBytes } from 'node:crypto';

/** Returns a new authorization code or access token: 256 random bits as 43 characters of base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Returns the SHA-256 hash under which a code or token is stored. 256 random bits need neither a salt nor a slow hash.
 */
export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
