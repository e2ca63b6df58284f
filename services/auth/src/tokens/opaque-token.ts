import { createHash, randomBytes } from 'node:crypto';

/** A new code or token: 256 random bits, 43 characters. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a code or token, and what it is found by. */
export function tokenHash(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
