export { type KeyEncryptionKeyConfig, keyEncryptionKeyConfig } from './config';
export { keysCommand } from './keys-command';
export type { ManagedKek } from './managed-kek';
export { openKeyEncryptionKey } from './open-key-encryption-key';
export { rewrapDataKeys } from './rewrap-data-keys';
