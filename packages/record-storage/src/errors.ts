import type { TypeCode } from './type-codes';

/** An expected version: the resource must have no current version. */
export const MUST_NOT_EXIST = 0;

/** The record's key is destroyed: nothing in it can be read, nothing can be written any more. */
export class RecordDestroyedError extends Error {
  override readonly name = 'RecordDestroyedError';
  constructor(readonly userId: number) {
    super('the record is destroyed');
  }
}

/** The resource is not at the version that the writer expected. */
export class VersionConflictError extends Error {
  override readonly name = 'VersionConflictError';
  /**
   * @param expected the version that the writer named; MUST_NOT_EXIST for a resource that must not exist
   * @param actual the current version; undefined when there is no such resource
   */
  constructor(
    readonly typeCode: TypeCode,
    readonly id: string,
    readonly expected: number,
    readonly actual: number | undefined,
  ) {
    super('the resource is not at the expected version');
  }
}

/** A cursor is not of the order of the search: another version of the program made it. */
export class InvalidCursorError extends RangeError {
  override readonly name = 'InvalidCursorError';
  constructor() {
    super('the cursor is not of this order');
  }
}

/** Other writers changed the resource so often that this write found no gap. The caller may try again. */
export class ContentionError extends Error {
  override readonly name = 'ContentionError';
  constructor() {
    super('the resource is being changed by too many writers at once');
  }
}

/** An id that a client chose cannot be used for a new resource: it is taken in another record, or of the service's own. */
export class IdNotAvailableError extends Error {
  override readonly name = 'IdNotAvailableError';
  constructor() {
    super('the id is not available for a new resource');
  }
}
