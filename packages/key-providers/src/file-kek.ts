import { LocalKeyEncryptionKey, kekIdOf, parseKeyFile } from '@tributary/key-vault';
import { RotatingSecret, type RotatingSecretOptions } from '@tributary/service-kit';
import { type KekVersion, type ManagedKek, type RotationSteps, UnknownVersionError } from './managed-kek';

/**
 * A version is given up at the earliest this long after two activation periods of its successor, in seconds: a replica
 * that got the file a period late, as from a secret store, has switched, and has stored what it wrapped before.
 */
const retirementMarginSeconds = 60;

/** A key-encryption key in a file, which is read again when it changes (`RotatingSecret`). */
export class FileKek implements ManagedKek {
  readonly #file: RotatingSecret;
  /** How long the last key must have been known before an earlier one is given up, in seconds. */
  readonly #retirementSeconds: number;
  #opened: { local: LocalKeyEncryptionKey; keys: readonly string[]; current: string } | undefined;

  /** @throws Error when the file cannot be read; RangeError when a line is not a 32-byte key in base64 */
  constructor(options: Omit<RotatingSecretOptions, 'parse'>) {
    this.#retirementSeconds = 3 * options.activationSeconds + retirementMarginSeconds;
    this.#file = new RotatingSecret({
      ...options,
      parse: (content) => parseKeyFile(content).map((key) => key.toString('base64')),
    });
  }

  /** Whether a version with this id is known, also after a look at the file. */
  has(id: string): boolean {
    if (this.#local().has(id)) return true;
    // Another process may have read the file since it changed, and wrapped with its new key.
    this.#file.refresh();
    return this.#local().has(id);
  }

  currentId(): Promise<string> {
    return this.#local().currentId();
  }

  wrap(plain: Buffer, context: string): Promise<Buffer> {
    return this.#local().wrap(plain, context);
  }

  async unwrap(wrapped: Buffer, context: string): Promise<Buffer> {
    this.has(kekIdOf(wrapped));
    return this.#local().unwrap(wrapped, context);
  }

  isDue(wrapped: Buffer): Promise<boolean> {
    return this.#local().isDue(wrapped);
  }

  async useIfStored(isStored: (id: string) => Promise<boolean>): Promise<void> {
    if (this.#file.activeInSeconds === 0) return;
    const [id, key] = [this.#local().ids.at(-1) as string, this.#file.accepted.at(-1) as string];
    if (await isStored(id)) this.#file.activate(key);
  }

  async versions(): Promise<KekVersion[]> {
    const current = await this.currentId();
    const { activeInSeconds } = this.#file;
    return this.#local().ids.map((id, index, all) => ({
      id,
      origin: `key ${index + 1} of the key file`,
      ...(id === current
        ? { state: 'current' as const }
        : index === all.length - 1
          ? { state: 'waiting' as const, usedInSeconds: activeInSeconds }
          : { state: 'accepted' as const }),
    }));
  }

  /** The operator has appended the new version to the file. */
  async rotate(): Promise<RotationSteps> {
    this.#file.refresh();
    const { activeInSeconds } = this.#file;
    if (activeInSeconds > 0)
      throw new Error(
        `the last key of the key file is used in ${activeInSeconds} s, when every replica has read it: run this command again then`,
      );
    return { done: [], failed: [] };
  }

  async retire(id: string): Promise<string> {
    const version = (await this.versions()).find((each) => each.id === id);
    if (!version) throw new UnknownVersionError(`the key file has no key ${id}`);
    if (version.state !== 'accepted')
      throw new Error(`the ${version.origin} wraps, or will wrap: append a new key first`);
    const seconds = Math.ceil(this.#retirementSeconds - this.#file.knownForSeconds);
    if (seconds > 0)
      throw new Error(
        `a replica that has read the key file late may still wrap by the ${version.origin}: run this command again in ${seconds} s`,
      );
    return `the ${version.origin} has wrapped no stored key: remove its line everywhere, and keep it with the backups from before the rotation`;
  }

  #local(): LocalKeyEncryptionKey {
    const { accepted: keys, current } = this.#file.snapshot;
    if (this.#opened?.keys !== keys || this.#opened.current !== current) {
      const local = new LocalKeyEncryptionKey(
        keys.map((key) => Buffer.from(key, 'base64')),
        keys.lastIndexOf(current),
      );
      this.#opened = { local, keys, current };
    }
    return this.#opened.local;
  }
}
