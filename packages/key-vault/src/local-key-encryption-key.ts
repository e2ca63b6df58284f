import { type KeyObject, createHash, createSecretKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { KeyEncryptionKey } from './key-encryption-key';
import { UnsealingError, openWith, sealWith } from './sealing';

const KEY_BYTES = 32;
const ID_BYTES = 8;
const FORMAT = 1;

/**
 * A key-encryption key in a file, which can contain several versions. A wrapped key is `format (1 byte) | key id (8 bytes) | sealed bytes`; the key id
 * selects the version that unwraps it.
 */
export class LocalKeyEncryptionKey implements KeyEncryptionKey {
  readonly id: string;
  private readonly versions = new Map<string, KeyObject>();

  /** @param keys the versions of the key, 32 bytes each, oldest first: the last one wraps, all of them unwrap */
  constructor(keys: readonly Buffer[]) {
    let newest: string | undefined;
    for (const key of keys) {
      if (key.length !== KEY_BYTES) throw new RangeError('a key-encryption key has 32 bytes');
      newest = keyId(key);
      this.versions.set(newest, createSecretKey(key));
    }
    if (newest === undefined) throw new RangeError('a key-encryption key needs at least one version');
    this.id = newest;
  }

  /**
   * Reads a key file: 32 raw bytes, or text with one base64 key per line. Empty lines and lines that start with # are ignored. The last key wraps, all
   * keys unwrap. To rotate, add the new key as the first line, restart every replica, then move the line to the end and restart again: a replica that
   * does not know a key yet cannot unwrap what the others wrap with it.
   * @throws RangeError when a line is not a 32-byte key in base64
   */
  static async fromFile(path: string): Promise<LocalKeyEncryptionKey> {
    return new LocalKeyEncryptionKey(parseKeyFile(await readFile(path)));
  }

  wrap(plain: Buffer, context: string): Promise<Buffer> {
    const key = this.versions.get(this.id) as KeyObject;
    const header = Buffer.concat([Buffer.of(FORMAT), Buffer.from(this.id, 'hex')]);
    return Promise.resolve(Buffer.concat([header, sealWith(key, plain, Buffer.from(context, 'utf8'))]));
  }

  async unwrap(wrapped: Buffer, context: string): Promise<Buffer> {
    const key = this.versions.get(wrappingKeyId(wrapped));
    if (wrapped[0] !== FORMAT || !key)
      throw new UnsealingError('wrapped by a key-encryption key that is not in the key file');
    return openWith(key, wrapped.subarray(1 + ID_BYTES), Buffer.from(context, 'utf8'));
  }

  isCurrent(wrapped: Buffer): boolean {
    return wrappingKeyId(wrapped) === this.id;
  }
}

function wrappingKeyId(wrapped: Buffer): string {
  return wrapped.toString('hex', 1, 1 + ID_BYTES);
}

/** An identifier of the key that does not reveal it. */
function keyId(key: Buffer): string {
  return createHash('sha256').update('tributary key id').update(key).digest().toString('hex', 0, ID_BYTES);
}

function parseKeyFile(content: Buffer): Buffer[] {
  if (content.length === KEY_BYTES) return [content];
  const lines = content
    .toString('latin1')
    .split(/\r?\n/)
    .map((line) => line.trim());
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map(parseKeyLine);
}

function parseKeyLine(line: string): Buffer {
  const key = Buffer.from(line, 'base64');
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(line) || key.length !== KEY_BYTES) {
    throw new RangeError('each line of a key file is one 32-byte key in base64');
  }
  return key;
}
