export { KEY_CHECK_SAMPLE, assertKekMatches } from './assert-kek-matches';
export { CheckedKek } from './checked-kek';
export { DataKey } from './data-key';
export { JsonSealer, type JsonSealerOptions, type SealerSecret } from './json-sealer';
export { keyCache } from './key-cache';
export type { KeyEncryptionKey } from './key-encryption-key';
export { parseKeyFile } from './key-file';
export { LocalKeyEncryptionKey } from './local-key-encryption-key';
export { type RewrapResult, type StoredKey, rewrapKeys } from './rewrap';
export { type RunSql, ScopedKeys, type ScopedKeysOptions } from './scoped-keys';
export {
  type MigrationClass,
  type StatementRunner,
  scopedKeysKekMigration,
  scopedKeysMigration,
  wrappingKeyMigration,
} from './scoped-keys-migration';
export { SEAL_OVERHEAD, UnsealingError } from './sealing';
export { SipHash } from './sip-hash';
export { WrappingKey, kekIdOf } from './wrapping-key';
