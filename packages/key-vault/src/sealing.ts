import { type KeyObject, createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';

/** Bytes that sealing adds: nonce and tag. */
export const SEAL_OVERHEAD = 28;
const NONCE = 12;
const TAG = 16;

/** Thrown when sealed bytes were made with another key, with other associated data, or altered. The message says nothing about the content. */
export class UnsealingError extends Error {
  override readonly name = 'UnsealingError';
  constructor(message = 'the sealed bytes do not belong to this key and associated data') {
    super(message);
  }
}

// Nonces are drawn in bulk: one call of the random source for every 340 of them.
const nonces = Buffer.alloc(NONCE * 340);
let nextNonce = nonces.length;

function freshNonce(): Buffer {
  if (nextNonce === nonces.length) {
    randomFillSync(nonces);
    nextNonce = 0;
  }
  nextNonce += NONCE;
  return nonces.subarray(nextNonce - NONCE, nextNonce);
}

/** AES-256-GCM: `nonce | tag | ciphertext`, bound to the associated data. */
export function sealWith(key: KeyObject, plaintext: Buffer, associatedData: Buffer): Buffer {
  const sealed = Buffer.allocUnsafe(SEAL_OVERHEAD + plaintext.length);
  const nonce = freshNonce();
  nonce.copy(sealed, 0);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(associatedData);
  cipher.update(plaintext).copy(sealed, SEAL_OVERHEAD);
  cipher.final();
  cipher.getAuthTag().copy(sealed, NONCE);
  return sealed;
}

/** Opens what `sealWith` made. @throws UnsealingError */
export function openWith(key: KeyObject, sealed: Buffer, associatedData: Buffer): Buffer {
  if (sealed.length < SEAL_OVERHEAD) throw new UnsealingError();
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAAD(associatedData);
  decipher.setAuthTag(sealed.subarray(NONCE, SEAL_OVERHEAD));
  const plaintext = decipher.update(sealed.subarray(SEAL_OVERHEAD));
  try {
    decipher.final();
  } catch {
    throw new UnsealingError();
  }
  return plaintext;
}
