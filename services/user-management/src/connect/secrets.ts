import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits, in base64url. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** How a secret is stored: SHA-256, without salt, as the secret cannot be guessed. */
export function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
