export { findGrantProblems } from './check-grants';
export * from './provision';
export { type InstallationSecrets, type Service, makeSecrets, secretsOf, services } from './secrets';
