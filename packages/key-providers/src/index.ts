export { type KeyEncryptionKeyConfig, keyEncryptionKeyConfig } from './config';
export { openKeyEncryptionKey } from './open-key-encryption-key';
