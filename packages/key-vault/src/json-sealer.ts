import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { DataKey } from './data-key';
import { UnsealingError } from './sealing';

const PLAIN = 0;
const DEFLATED = 1;

export interface JsonSealerOptions {
  /** The secret that all replicas of the service share, of any length. */
  secret: string;
  /** Names the use. Sealers of different uses have different keys and cannot open what another has sealed. */
  use: string;
  /** Texts of at least this many bytes are compressed before they are sealed. */
  deflateFromBytes: number;
  /** The limit of a decompressed text, in bytes. */
  maxBytes: number;
}

/**
 * Seals JSON values (AES-256-GCM) under a key that is derived from a secret of the service, as bytes or as a URL-safe token. Any replica opens what
 * another has sealed, so that nothing about a token has to be stored. The layout of the plaintext is `0 | text` or `1 | raw deflate of the text`.
 */
export class JsonSealer {
  readonly #key: DataKey;

  constructor(private readonly options: JsonSealerOptions) {
    const root = DataKey.fromBytes(createHash('sha256').update(options.secret).digest());
    this.#key = DataKey.fromBytes(root.derive(options.use));
  }

  seal(value: unknown, associatedData: string): Buffer {
    const text = Buffer.from(JSON.stringify(value));
    const plaintext =
      text.length < this.options.deflateFromBytes
        ? Buffer.concat([Buffer.of(PLAIN), text])
        : Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(text)]);
    return this.#key.seal(plaintext, associatedData);
  }

  /** @throws UnsealingError when the bytes were sealed with another key or other associated data, or were altered */
  open(sealed: Buffer, associatedData: string): unknown {
    const plaintext = this.#key.open(sealed, associatedData);
    const content = plaintext.subarray(1);
    const text = plaintext[0] === PLAIN ? content : inflateRawSync(content, { maxOutputLength: this.options.maxBytes });
    return JSON.parse(text.toString());
  }

  /** Seals a value as base64url text. */
  sealToken(value: unknown, associatedData: string): string {
    return this.seal(value, associatedData).toString('base64url');
  }

  /** @throws UnsealingError as `open` does, and when the text is not the very base64url text that was made */
  openToken(token: string, associatedData: string): unknown {
    const sealed = Buffer.from(token, 'base64url');
    // The decoder ignores characters and bits that do not belong to base64url, so that several texts have the same bytes.
    if (sealed.toString('base64url') !== token) throw new UnsealingError();
    return this.open(sealed, associatedData);
  }
}
