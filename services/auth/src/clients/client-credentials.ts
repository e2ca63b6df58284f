import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { clientIdPattern } from '@tributary/contracts';

const secretShape = /^[A-Za-z0-9._~-]{32,128}$/;
const nobody = randomBytes(32);

/** A new client_id: 24 lowercase hexadecimal digits. */
export function newClientId(): string {
  return randomBytes(12).toString('hex');
}

/** A new client_secret: 256 random bits. */
export function newClientSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function isClientId(text: string): boolean {
  return clientIdPattern.test(text);
}

export function isClientSecret(text: string): boolean {
  return secretShape.test(text);
}

/** What is stored of a client_secret; 256 random bits need no salt and no slow hash. */
export function secretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Whether the secret is the one of the stored hash; takes as long when there is no such client. */
export function secretMatches(secret: string, stored: Buffer | undefined): boolean {
  const same = timingSafeEqual(secretHash(secret), stored ?? nobody);
  return same && stored !== undefined;
}
