import { readFile } from 'node:fs/promises';
import type { KeyEncryptionKey } from './key-encryption-key';
import { parseKeyFile } from './key-file';
import { UnsealingError } from './sealing';
import { WrappingKey, kekIdOf } from './wrapping-key';

/** A key-encryption key with a fixed list of versions. */
export class LocalKeyEncryptionKey implements KeyEncryptionKey {
  readonly #versions: ReadonlyMap<string, WrappingKey>;
  /** The ids of the versions, oldest first. */
  readonly ids: readonly string[];
  readonly #current: WrappingKey;

  /**
   * @param keys the versions of the key, 32 bytes each, oldest first; all of them unwrap
   * @param current the index of the version that wraps, by default the last one
   * @throws RangeError when there is no version, or one has not 32 bytes
   */
  constructor(keys: readonly Buffer[], current = keys.length - 1) {
    const versions = keys.map((key) => new WrappingKey(key));
    const wraps = versions[current];
    if (!wraps) throw new RangeError('a key-encryption key needs at least one version');
    this.#current = wraps;
    this.ids = versions.map(({ id }) => id);
    this.#versions = new Map(versions.map((version) => [version.id, version]));
  }

  /**
   * Reads a key file once (`parseKeyFile`); the last key wraps.
   * @throws RangeError when a line is not a 32-byte key in base64
   */
  static async fromFile(path: string): Promise<LocalKeyEncryptionKey> {
    return new LocalKeyEncryptionKey(parseKeyFile(await readFile(path)));
  }

  /** Whether a version with this id is known. */
  has(id: string): boolean {
    return this.#versions.has(id);
  }

  currentId(): Promise<string> {
    return Promise.resolve(this.#current.id);
  }

  wrap(plain: Buffer, context: string): Promise<Buffer> {
    return Promise.resolve(this.#current.wrap(plain, context));
  }

  async unwrap(wrapped: Buffer, context: string): Promise<Buffer> {
    const version = this.#versions.get(kekIdOf(wrapped));
    if (!version) throw new UnsealingError('wrapped by a key-encryption key that is not known');
    return version.unwrap(wrapped, context);
  }

  isDue(wrapped: Buffer): Promise<boolean> {
    return Promise.resolve(this.ids.lastIndexOf(kekIdOf(wrapped)) < this.ids.lastIndexOf(this.#current.id));
  }
}
