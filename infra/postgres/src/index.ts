export * from './provision';
export { type InstallationSecrets, makeSecrets, secretsOf } from './secrets';
