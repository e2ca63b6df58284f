/** The object storage did not do what it was asked for. */
export class ObjectStorageError extends Error {
  override readonly name: string = 'ObjectStorageError';
}

/** The object is not there. */
export class ObjectMissingError extends ObjectStorageError {
  override readonly name = 'ObjectMissingError';
}
