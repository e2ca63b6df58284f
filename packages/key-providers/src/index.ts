export { type KeyEncryptionKeyConfig, keyEncryptionKeyConfig } from './config';
export { keysCommand } from './keys-command';
export { serveKeysStatus } from './keys-route';
export { KeysStatusReader } from './keys-status';
export type { ManagedKek } from './managed-kek';
export { openKeyEncryptionKey } from './open-key-encryption-key';
export { rewrapDataKeys } from './rewrap-data-keys';
export type { ServiceKeyring } from './service-keyring';
