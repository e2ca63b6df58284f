import type { TypeCode } from './type-codes';

/** An expected version: the resource must have no current version. */
export const MUST_NOT_EXIST = 0;

/** The key of the record is destroyed: nothing in it can be read or written. */
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

/** A cursor does not fit the order of the search: another version of the program made it. */
export class InvalidCursorError extends RangeError {
  override readonly name = 'InvalidCursorError';
  constructor() {
    super('the cursor is not of this order');
  }
}

/** Other writers changed the resource in each attempt of this write. The caller may retry. */
export class ContentionError extends Error {
  override readonly name = 'ContentionError';
  constructor() {
    super('the resource is being changed by too many writers at once');
  }
}

/** The write is committed, but it cannot be acknowledged: a snapshot that is taken now could miss it. */
export class WriteNotConfirmedError extends Error {
  override readonly name = 'WriteNotConfirmedError';
  /** By this code `isOutcomeUnknown` of service-kit knows the error. */
  readonly code = 'WRITE_NOT_CONFIRMED';
  constructor(cause: unknown) {
    super('the write is committed, but is not confirmed', { cause });
  }
}

/** A client-assigned id cannot be used for a new resource: another record has it, or the service assigned it. */
export class IdNotAvailableError extends Error {
  override readonly name = 'IdNotAvailableError';
  constructor() {
    super('the id is not available for a new resource');
  }
}
