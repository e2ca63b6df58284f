import { ContentionError, type LockedRecord, VersionConflictError } from '@tributary/record-storage';
import type { FhirRequest } from '../../fhir-http/fhir-request';

/** An interaction within a transaction that holds the lock of the record. */
export type LockedRequest = FhirRequest<LockedRecord>;

const attempts = 10;

/**
 * Runs an interaction that searches and then writes. The lock of the record excludes other conditional interactions,
 * transactions and batches. Single writes do not take the lock: when a single write changes a match, the write of the
 * interaction fails with a version conflict, and the interaction is repeated.
 * @throws as `repeatOnConflict`; nothing is written then
 */
export function withRecordLock<T>(
  request: FhirRequest,
  work: (request: LockedRequest) => Promise<T>,
  expects: (conflict: VersionConflictError) => boolean,
): Promise<T> {
  return repeatOnConflict(() => request.record.transaction((record) => work({ ...request, record })), expects);
}

/**
 * Repeats an interaction whose write fails with a version conflict.
 * @param expects whether the client named the version in conflict; such a conflict is not repeated
 * @throws VersionConflictError when the client named the version, ContentionError after too many conflicts
 */
export async function repeatOnConflict<T>(
  work: () => Promise<T>,
  expects: (conflict: VersionConflictError) => boolean,
): Promise<T> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof VersionConflictError) || expects(error)) throw error;
    }
  }
  throw new ContentionError();
}
