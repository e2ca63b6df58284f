export { findGrantProblems } from './check-grants';
export { readProvisionSettings } from './config';
export * from './provision';
export { type InstallationSecrets, type Service, makeSecrets, secretsOf, services } from './secrets';
