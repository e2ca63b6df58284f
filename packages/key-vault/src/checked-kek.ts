import type { KeyEncryptionKey } from './key-encryption-key';
import { kekIdOf } from './wrapping-key';

/** The keys that a key-encryption key has wrapped, where a service stores them. */
export interface WrappedKeys {
  /** @throws Error when the key-encryption key does not fit them */
  check(): Promise<void>;
  /** Whether one of them is wrapped by the version with this id. */
  hasVersion(id: string): Promise<boolean>;
}

/**
 * A key-encryption key that wraps only with a version whose fit to the stored keys was checked, as a key file can be
 * replaced by a wrong one while the process runs.
 */
export class CheckedKek {
  /** The current version when the last check passed. */
  #checked: string | undefined;

  constructor(
    private readonly kek: KeyEncryptionKey,
    private readonly keys: WrappedKeys,
  ) {}

  /**
   * The id of the current version, with which the check has passed.
   * @throws Error when the key-encryption key does not fit the stored keys
   */
  async version(): Promise<string> {
    await this.useStored();
    // A key service makes its first wrapping key when the version is requested: not before a check has passed.
    if (this.#checked === undefined) await this.keys.check();
    const version = await this.kek.currentId();
    // After the version was read: what is checked contains it.
    if (version !== this.#checked) await this.keys.check();
    this.#checked = version;
    return version;
  }

  /** Uses the latest version from now on if stored keys are wrapped by it (`KeyEncryptionKey.useIfStored`). */
  async useStored(): Promise<void> {
    await this.kek.useIfStored?.((id) => this.keys.hasVersion(id));
  }

  /**
   * Wraps by a checked version; the version may change between the check and the wrapping.
   * @throws Error when the key-encryption key does not fit the stored keys
   */
  async wrap(plain: Buffer, context: string): Promise<Buffer> {
    for (;;) {
      const version = await this.version();
      const wrapped = await this.kek.wrap(plain, context);
      if (kekIdOf(wrapped) === version) return wrapped;
    }
  }
}
