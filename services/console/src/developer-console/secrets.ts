import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits as 43 characters of base64url: the secret of a session, or the token of a link. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The hash under which a random secret is stored; it needs neither a salt nor a slow hash. */
export function secretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
