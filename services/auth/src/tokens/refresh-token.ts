import { randomBytes } from 'node:crypto';
import { tokenHash } from './opaque-token';

const handleBytes = 16;
const secretBytes = 32;
const length = Math.ceil(((handleBytes + secretBytes) * 8) / 6);
const wellFormed = new RegExp(`^[A-Za-z0-9_-]{${length}}$`);

/** What a presented refresh token is looked up by. */
export interface PresentedRefreshToken {
  hash: Buffer;
  /** Of the family's handle, which the token begins with; undefined for a token of the format before, which has none. */
  handleHash: Buffer | undefined;
  handle: Buffer | undefined;
}

/**
 * A new refresh token: the handle of its family, 128 random bits that all tokens of the family have in common, and 256 random bits of its own; 64
 * characters. Whoever presents the handle with other bits than those of the current token holds an earlier token of the family, or a part of one.
 * So no earlier token has to be kept to know that it is used again; and nobody who never had a token of the family can make it look so.
 * @param handle of the family, for which a new one is made otherwise
 */
export function newRefreshToken(handle: Buffer = randomBytes(handleBytes)): string {
  return Buffer.concat([handle, randomBytes(secretBytes)]).toString('base64url');
}

/** Takes a token apart; any text is taken for one. */
export function presentedRefreshToken(token: string): PresentedRefreshToken {
  const handle = wellFormed.test(token) ? Buffer.from(token, 'base64url').subarray(0, handleBytes) : undefined;
  return { hash: tokenHash(token), handle, handleHash: handle && handleHash(handle) };
}

/** What is stored of a handle. */
export function handleHash(handle: Buffer): Buffer {
  return tokenHash(handle.toString('base64url'));
}
