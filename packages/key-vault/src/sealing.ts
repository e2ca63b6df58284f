import { type KeyObject, createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto';

/** The bytes that sealing adds: 12 bytes of nonce and 16 bytes of tag. */
export const SEAL_OVERHEAD = 28;
const NONCE = 12;
const TAG = 16;

/** Sealed bytes were made with another key or other associated data, or were altered. */
export class UnsealingError extends Error {
  override readonly name = 'UnsealingError';
  constructor(message = 'the sealed bytes do not belong to this key and associated data') {
    super(message);
  }
}

// Random nonces are generated in bulk, because a call of the random source costs more than the encryption of a short
// value.
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

/** Encrypts with AES-256-GCM (NIST SP 800-38D) and a random nonce. The result is `nonce | tag | ciphertext`. */
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

/** Decrypts what `sealWith` has made. @throws UnsealingError */
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
