import { ContentionError, type LockedRecord, VersionConflictError } from '@tributary/record-storage';
import type { Call } from '../../fhir-http/fhir-request';

/** An interaction within a transaction that holds the lock of the record. */
export type LockedCall = Call<LockedRecord>;

const attempts = 10;

/**
 * Runs an interaction whose search and write must be one step: under the record's lock no other conditional interaction, transaction or batch comes in between. Single writes do
 * not take the lock. One that changed what was found makes the write fail with a version conflict; then the interaction searches again.
 * @param expects whether the caller named the version in conflict, which then is the answer
 * @throws VersionConflictError, ContentionError, and what the work throws; nothing is written then
 */
export async function underLock<T>(
  call: Call,
  work: (call: LockedCall) => Promise<T>,
  expects: (conflict: VersionConflictError) => boolean,
): Promise<T> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      return await call.record.transaction((record) => work({ ...call, record }));
    } catch (error) {
      if (!(error instanceof VersionConflictError) || expects(error)) throw error;
    }
  }
  throw new ContentionError();
}
