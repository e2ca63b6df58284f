import { ContentionError, type LockedRecord, VersionConflictError } from '@tributary/record-storage';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import type { FhirResponse } from '../../fhir-http/fhir-response';
import { type PlannedWrite, isExpected, writePlanned } from './planned-write';

/** An interaction within a transaction that holds the lock of the record. */
type LockedRequest = FhirRequest<LockedRecord>;

const attempts = 10;

/**
 * Runs an interaction that searches and then writes. The lock of the record excludes other conditional interactions,
 * transactions and batches. Single writes do not take the lock: when a single write changes a match, the write of the
 * interaction fails with a version conflict, and the interaction is repeated.
 * @param plan decides what is written
 * @throws as `repeatOnConflict`; nothing is written then
 */
export function withRecordLock<Plan extends PlannedWrite, T>(
  request: FhirRequest,
  plan: (locked: LockedRequest) => Promise<readonly Plan[]>,
  write: (locked: LockedRequest, plans: readonly Plan[]) => Promise<T>,
): Promise<T> {
  let plans: readonly Plan[] = [];
  return repeatOnConflict(
    () =>
      request.record.transaction(async (record) => {
        const locked = { ...request, record };
        plans = await plan(locked);
        return write(locked, plans);
      }),
    (conflict) => isExpected(request, plans, conflict),
  );
}

/** Carries out one conditional interaction, which plans the write of a valid resource. */
export async function carryOut(
  request: FhirRequest,
  plan: (locked: LockedRequest) => Promise<PlannedWrite>,
): Promise<FhirResponse> {
  const [response] = await withRecordLock(request, async (locked) => [await plan(locked)], writePlanned);
  return response as FhirResponse;
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
