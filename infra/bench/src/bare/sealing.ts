import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts with AES-256-GCM. The result is the nonce, the ciphertext and the authentication tag. */
export function seal(key: Buffer, plain: string | Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const content = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  return Buffer.concat([nonce, content, cipher.final(), cipher.getAuthTag()]);
}

export function unseal(key: Buffer, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes));
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  const content = decipher.update(sealed.subarray(nonceBytes, sealed.length - tagBytes));
  decipher.final();
  return content;
}
