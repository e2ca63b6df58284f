export { ObjectMissingError, ObjectStorageError } from './errors';
export type { ObjectStorage } from './object-storage';
