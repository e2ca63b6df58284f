/**
 * The key-encryption key (KEK), the top of the key hierarchy: it wraps all other keys. It has versions, which are
 * `WrappingKey`s: the current one wraps, all of them unwrap. Versions are added and removed while the process runs. The
 * context names what is wrapped, such as "client 5f3…"; unwrapping needs the same context.
 */
export interface KeyEncryptionKey {
  /** The id of the current version, which wraps new keys. */
  currentId(): Promise<string>;
  /** The wrapped form names the version that wrapped it (`kekIdOf`). */
  wrap(plain: Buffer, context: string): Promise<Buffer>;
  /** @throws UnsealingError when no known version unwraps the bytes, or when the context differs */
  unwrap(wrapped: Buffer, context: string): Promise<Buffer>;
  /**
   * Whether these bytes are to be rewrapped: an earlier version than the current one has wrapped them, or one that is
   * not known. A version that is known but not yet in use is later than the current one: other processes may use it
   * already.
   */
  isDue(wrapped: Buffer): Promise<boolean>;
  /**
   * Uses the latest version from now on if it is known, not yet in use, and stored keys are wrapped by it: then another
   * process uses it already. A process that has started or has read the key file late would wrap by a version that is
   * given up meanwhile. Absent where no version waits.
   * @param isStored whether stored keys are wrapped by the version with this id
   */
  useIfStored?(isStored: (id: string) => Promise<boolean>): Promise<void>;
}
