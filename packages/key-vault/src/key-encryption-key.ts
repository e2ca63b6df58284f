/**
 * The key at the top, which wraps all others and never leaves its keeper: a local file, or a key service.
 * The context names what is wrapped ("client 5f3…"): unwrapping needs the same one.
 */
export interface KeyEncryptionKey {
  /** Names the key version that wraps now. */
  readonly id: string;
  wrap(plain: Buffer, context: string): Promise<Buffer>;
  /** @throws UnsealingError when the bytes were wrapped by no known version, or for another context */
  unwrap(wrapped: Buffer, context: string): Promise<Buffer>;
  /** Whether the version that wraps now has wrapped these bytes; if not, they wait to be wrapped again. */
  isCurrent(wrapped: Buffer): boolean;
}
