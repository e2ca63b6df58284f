import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { DataKey } from './data-key';
import { UnsealingError } from './sealing';

const PLAIN = 0;
const DEFLATED = 1;

export interface SealerSecret {
  readonly current: string;
  /** Oldest first. */
  readonly accepted: readonly string[];
}

export interface JsonSealerOptions {
  /**
   * The secret that all replicas of the service share, of any length. One that can change has several values: all open,
   * the current one seals.
   */
  secret: string | SealerSecret;
  /** Names the use. Sealers of different uses have different keys and cannot open what another has sealed. */
  use: string;
  /** Texts of at least this many bytes are compressed before they are sealed. */
  deflateFromBytes: number;
  /** The limit of a decompressed text, in bytes. */
  maxBytes: number;
}

/**
 * Seals JSON values (AES-256-GCM) under a key that is derived from a secret of the service, as bytes or as a URL-safe
 * token. Any replica opens what another has sealed, so that nothing about a token has to be stored. The layout of the
 * plaintext is `0 | text` or `1 | raw deflate of the text`.
 */
export class JsonSealer {
  readonly #secret: SealerSecret;
  /** The keys that are derived from the accepted secrets. */
  #keys: ReadonlyMap<string, DataKey> = new Map();

  constructor(private readonly options: JsonSealerOptions) {
    const { secret } = options;
    this.#secret = typeof secret === 'string' ? { current: secret, accepted: [secret] } : secret;
  }

  seal(value: unknown, associatedData: string): Buffer {
    const text = Buffer.from(JSON.stringify(value));
    const plaintext =
      text.length < this.options.deflateFromBytes
        ? Buffer.concat([Buffer.of(PLAIN), text])
        : Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(text)]);
    return this.#keyOf(this.#secret.current).seal(plaintext, associatedData);
  }

  /** @throws UnsealingError when the bytes were sealed with another key or other associated data, or were altered */
  open(sealed: Buffer, associatedData: string): unknown {
    const plaintext = this.#open(sealed, associatedData);
    const content = plaintext.subarray(1);
    const text = plaintext[0] === PLAIN ? content : inflateRawSync(content, { maxOutputLength: this.options.maxBytes });
    return JSON.parse(text.toString());
  }

  #open(sealed: Buffer, associatedData: string): Buffer {
    // The newest secrets have sealed most of what is opened.
    for (const secret of this.#secret.accepted.toReversed()) {
      try {
        return this.#keyOf(secret).open(sealed, associatedData);
      } catch (error) {
        if (!(error instanceof UnsealingError)) throw error;
      }
    }
    throw new UnsealingError();
  }

  #keyOf(secret: string): DataKey {
    const known = this.#keys.get(secret);
    if (known) return known;
    const root = DataKey.fromBytes(createHash('sha256').update(secret).digest());
    const key = DataKey.fromBytes(root.derive(this.options.use));
    const kept = [...this.#keys].filter(([each]) => this.#secret.accepted.includes(each));
    this.#keys = new Map([...kept, [secret, key]]);
    return key;
  }

  /** Seals a value as base64url text. */
  sealToken(value: unknown, associatedData: string): string {
    return this.seal(value, associatedData).toString('base64url');
  }

  /** @throws UnsealingError as `open` does, and when the text is not the very base64url text that was made */
  openToken(token: string, associatedData: string): unknown {
    const sealed = Buffer.from(token, 'base64url');
    // The decoder ignores characters and bits that do not belong to base64url, so that several texts have the same
    // bytes.
    if (sealed.toString('base64url') !== token) throw new UnsealingError();
    return this.open(sealed, associatedData);
  }
}
