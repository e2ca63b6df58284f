import { type KeyObject, createHmac, createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import { openWith, sealWith } from './sealing';
import { SipHash } from './sip-hash';

const KEY_BYTES = 32;
const BLIND_INDEX_BYTES = 16;
const NO_SALT = Buffer.alloc(0);

/**
 * A random 256-bit key of one owner (a user, a client, a scope). It is used only as input of HKDF-SHA256 (RFC 5869):
 * encryption, blind indexes and every other use have their own derived key.
 */
export class DataKey {
  private sealingKey: KeyObject | undefined;
  private readonly blinders = new Map<string, SipHash>();

  private readonly root: KeyObject;

  private constructor(bytes: Buffer) {
    this.root = createSecretKey(bytes);
  }

  /** A new random key. */
  static generate(): DataKey {
    return new DataKey(randomBytes(KEY_BYTES));
  }

  /** The key with these 32 bytes, which are copied. */
  static fromBytes(bytes: Buffer): DataKey {
    if (bytes.length !== KEY_BYTES) throw new RangeError('a data key has 32 bytes');
    return new DataKey(bytes);
  }

  /** The unprotected key bytes, to be wrapped by another key. */
  bytes(): Buffer {
    return this.root.export();
  }

  /**
   * Encrypts and authenticates the bytes (AES-256-GCM). The same key and associated data are needed to open them. Adds
   * SEAL_OVERHEAD bytes.
   */
  seal(plaintext: Buffer, associatedData: Buffer | string): Buffer {
    return sealWith(this.sealing(), plaintext, bytesOf(associatedData));
  }

  /** Decrypts what `seal` has made. @throws UnsealingError when the key, the associated data or the bytes differ */
  open(sealed: Buffer, associatedData: Buffer | string): Buffer {
    return openWith(this.sealing(), sealed, bytesOf(associatedData));
  }

  /** Seals the UTF-8 bytes of a text. */
  sealText(text: string, associatedData: Buffer | string): Buffer {
    return this.seal(Buffer.from(text, 'utf8'), associatedData);
  }

  /** Opens what `sealText` has made. @throws UnsealingError */
  openText(sealed: Buffer, associatedData: Buffer | string): string {
    return this.open(sealed, associatedData).toString('utf8');
  }

  /**
   * The blind index of an identifier: 128 bits of HMAC-SHA256, equal for equal values only, which say nothing about the
   * value without the key. For look-ups by a unique value.
   * @param label names the use; each has its own key
   */
  blindIndex(label: string, value: string): Buffer {
    return createHmac('sha256', this.derive(label)).update(value, 'utf8').digest().subarray(0, BLIND_INDEX_BYTES);
  }

  /**
   * The blind index of a search value: a signed 64-bit SipHash. Different values collide rarely, so matches have to be
   * checked.
   */
  blind(label: string, value: string): bigint {
    return this.blinder(label).hash(value);
  }

  /** The hash function of `blind` under the label, for callers that hash many values. */
  blinder(label: string): SipHash {
    let blinder = this.blinders.get(label);
    if (!blinder) {
      blinder = new SipHash(this.derive(`blind:${label}`, 16));
      this.blinders.set(label, blinder);
    }
    return blinder;
  }

  /** Derives secret bytes for the named use by HKDF-SHA256; deterministic for key and label. */
  derive(label: string, length = KEY_BYTES): Buffer {
    return Buffer.from(hkdfSync('sha256', this.root, NO_SALT, label, length));
  }

  private sealing(): KeyObject {
    return (this.sealingKey ??= createSecretKey(this.derive('seal')));
  }
}

function bytesOf(text: Buffer | string): Buffer {
  return typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
}
