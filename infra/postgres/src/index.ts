export { acceptedKeys } from './callers';
export * from './provision';
