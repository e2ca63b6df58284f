export { findGrantProblems } from './check-grants';
export { readProvisionSettings } from './config';
export * from './provision';
export { redisUsers } from './redis-users';
export {
  type InstallationSecrets,
  type KeyEncryptionKeyName,
  type Service,
  keyEncryptionKeyOf,
  makeSecrets,
  secretsOf,
  services,
} from './secrets';
