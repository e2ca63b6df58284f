export { type ObjectStorageConfig, objectStorageConfig, objectStorageFrom } from './config';
export { ObjectMissingError, ObjectStorageError } from './errors';
export type { ObjectStorage } from './object-storage';
export { openObjectStorage, type ObjectStorageSettings } from './open-object-storage';
