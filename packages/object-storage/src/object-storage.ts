/** Objects in a bucket. An object is written once and never changed. */
export interface ObjectStorage {
  /**
   * Stores the bytes as an object. After a failure, also of the bytes, there is no object.
   * @throws ObjectStorageError
   */
  write(key: string, bytes: AsyncIterable<Buffer>): Promise<void>;
  /**
   * The bytes of an object from `start` up to `end`, exclusive.
   * @throws ObjectMissingError, ObjectStorageError
   */
  read(key: string, start: number, end: number): AsyncIterable<Buffer>;
  /** Deletes an object, if it is there. @throws ObjectStorageError */
  delete(key: string): Promise<void>;
}
