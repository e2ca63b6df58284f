import type { KeyEncryptionKey } from '@tributary/key-vault';

/** A version of a key-encryption key, for the operator. */
export interface KekVersion {
  readonly id: string;
  /** Where it is kept, such as "line 2 of the key file". */
  readonly origin: string;
  /** `waiting`: accepted, and used in `usedInSeconds`. `retired`: no longer known. */
  readonly state: 'accepted' | 'current' | 'waiting' | 'retired';
  readonly usedInSeconds?: number;
}

/** The key-encryption key of a service has no version with this id. */
export class UnknownVersionError extends Error {
  override readonly name = 'UnknownVersionError';
}

/** The current version cannot be opened, so nothing can be wrapped until there is a new one. */
export class UnusableVersionError extends Error {
  override readonly name = 'UnusableVersionError';
}

/** What a rotation has done before data keys are rewrapped, as sentences. */
export interface RotationSteps {
  readonly done: readonly string[];
  /** What it could not do; the rest was done. */
  readonly failed: readonly string[];
}

/** A key-encryption key that an operator rotates. */
export interface ManagedKek extends KeyEncryptionKey {
  /** All versions, oldest first. */
  versions(): Promise<readonly KekVersion[]>;
  /**
   * Makes a new version the current one, where this is done by command. Data keys are rewrapped afterwards.
   * @param isContinued an earlier rotation has not rewrapped all data keys: no further version is made
   * @throws Error that says what to do first
   */
  rotate(isContinued: boolean): Promise<RotationSteps>;
  /**
   * Gives up a version that has wrapped no key that is still stored.
   * @returns what is left to do, as a sentence
   * @throws UnknownVersionError; Error when it must not be given up
   */
  retire(id: string): Promise<string>;
}
