import { type KeyObject, createHash, createSecretKey } from 'node:crypto';
import { UnsealingError, openWith, sealWith } from './sealing';

const KEY_BYTES = 32;
const ID_BYTES = 8;
const FORMAT = 1;

/**
 * A wrapping key: one version of the key-encryption key. A wrapped key is
 * `format (1 byte) | key id (8 bytes) | sealed bytes`; the key id names the wrapping key that unwraps it.
 */
export class WrappingKey {
  /** An identifier of the key that does not reveal it: 16 hexadecimal digits. */
  readonly id: string;
  readonly #key: KeyObject;

  /** @throws RangeError when there are not 32 bytes */
  constructor(bytes: Buffer) {
    if (bytes.length !== KEY_BYTES) throw new RangeError('a wrapping key has 32 bytes');
    this.id = createHash('sha256').update('tributary key id').update(bytes).digest().toString('hex', 0, ID_BYTES);
    this.#key = createSecretKey(bytes);
  }

  wrap(plain: Buffer, context: string): Buffer {
    const header = Buffer.concat([Buffer.of(FORMAT), Buffer.from(this.id, 'hex')]);
    return Buffer.concat([header, sealWith(this.#key, plain, Buffer.from(context, 'utf8'))]);
  }

  /** @throws UnsealingError when another key has wrapped the bytes, or with another context */
  unwrap(wrapped: Buffer, context: string): Buffer {
    if (wrapped[0] !== FORMAT || kekIdOf(wrapped) !== this.id) throw new UnsealingError();
    return openWith(this.#key, wrapped.subarray(1 + ID_BYTES), Buffer.from(context, 'utf8'));
  }
}

/** The id of the version of the key-encryption key that has wrapped these bytes. */
export function kekIdOf(wrapped: Buffer): string {
  return wrapped.toString('hex', 1, 1 + ID_BYTES);
}
