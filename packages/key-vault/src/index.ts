export { DataKey } from './data-key';
export type { KeyEncryptionKey } from './key-encryption-key';
export { LocalKeyEncryptionKey } from './local-key-encryption-key';
export { type RunSql, ScopedKeys, type ScopedKeysOptions } from './scoped-keys';
export { type MigrationClass, type StatementRunner, scopedKeysMigration } from './scoped-keys-migration';
export { SEAL_OVERHEAD, UnsealingError } from './sealing';
export { SipHash } from './sip-hash';
