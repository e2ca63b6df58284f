/**
 * The key-encryption key (KEK), the top of the key hierarchy: it wraps all other keys and never leaves its provider, a local file or a key management
 * service. The context names what is wrapped, such as "client 5f3…"; unwrapping needs the same context.
 */
export interface KeyEncryptionKey {
  /** The id of the current version, which wraps new keys. */
  readonly id: string;
  wrap(plain: Buffer, context: string): Promise<Buffer>;
  /** @throws UnsealingError when no known version unwraps the bytes, or when the context differs */
  unwrap(wrapped: Buffer, context: string): Promise<Buffer>;
  /** Whether the current version has wrapped these bytes; otherwise they are due to be rewrapped. */
  isCurrent(wrapped: Buffer): boolean;
}
