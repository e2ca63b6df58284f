import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A key of a double of a key service: its versions, by number from 1. */
export class StoredKey {
  readonly versions: Buffer[] = [randomBytes(32)];

  get latest(): number {
    return this.versions.length;
  }

  rotate(): void {
    this.versions.push(randomBytes(32));
  }

  encrypt(plain: Buffer, context: string): Buffer {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.versions[this.latest - 1] as Buffer, nonce);
    cipher.setAAD(Buffer.from(context));
    const content = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([Buffer.of(this.latest), nonce, cipher.getAuthTag(), content]);
  }

  /** Undefined when it was not encrypted by this key with this context. */
  decrypt(bytes: Buffer, context: string): Buffer | undefined {
    const key = this.versions[(bytes[0] ?? 0) - 1];
    if (!key || bytes.length < 29) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 13), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(13, 29));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(29)), decipher.final()]);
    } catch {
      return undefined;
    }
  }
}
