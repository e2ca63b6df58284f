import { ContentionError, type LockedRecord, VersionConflictError } from '@tributary/record-storage';
import type { FhirRequest } from '../../fhir-http/fhir-request';

/** An interaction within a transaction that holds the lock of the record. */
export type LockedRequest = FhirRequest<LockedRecord>;

const attempts = 10;

/**
 * Runs an interaction whose search and write must be one step: under the record's lock no other conditional interaction, transaction or batch comes in between. Single writes do
 * not take the lock. One that changed what was found makes the write fail with a version conflict; then the interaction searches again.
 * @param expects whether the caller named the version in conflict, which then is the answer
 * @throws VersionConflictError, ContentionError, and what the work throws; nothing is written then
 */
export async function withRecordLock<T>(
  request: FhirRequest,
  work: (request: LockedRequest) => Promise<T>,
  expects: (conflict: VersionConflictError) => boolean,
): Promise<T> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      return await request.record.transaction((record) => work({ ...request, record }));
    } catch (error) {
      if (!(error instanceof VersionConflictError) || expects(error)) throw error;
    }
  }
  throw new ContentionError();
}
