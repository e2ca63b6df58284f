export { findGrantProblems } from './check-grants';
export * from './provision';
export { retentionDaysOf } from './retention-days';
export { type InstallationSecrets, type Service, makeSecrets, secretsOf, services } from './secrets';
