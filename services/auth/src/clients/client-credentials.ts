import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { type ClientMode, clientIdPattern } from '@tributary/contracts';

const clientSecretPattern = /^[A-Za-z0-9._~-]{32,128}$/;
const dummyHash = randomBytes(32);

/** Returns a new client_id: the mode and 24 lowercase hexadecimal digits, such as `test_5f1c…`. */
export function newClientId(mode: ClientMode): string {
  return `${mode}_${randomBytes(12).toString('hex')}`;
}

/**
 * Returns a new client_secret: the mode and 256 random bits as base64url, such as `live_secret_q83v…`. The prefix lets
 * people and secret scanners recognize it.
 */
export function newClientSecret(mode: ClientMode): string {
  return `${mode}_secret_${randomBytes(32).toString('base64url')}`;
}

export function isClientId(text: string): boolean {
  return clientIdPattern.test(text);
}

export function isClientSecret(text: string): boolean {
  return clientSecretPattern.test(text);
}

/** Returns the SHA-256 hash that is stored of a client_secret. 256 random bits need neither a salt nor a slow hash. */
export function secretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Compares the secret with the stored hash in constant time, which is the same when there is no such client. */
export function secretMatches(secret: string, stored: Buffer | undefined): boolean {
  const matches = timingSafeEqual(secretHash(secret), stored ?? dummyHash);
  return matches && stored !== undefined;
}
