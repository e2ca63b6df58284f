import type { CollectionFailure, CollectionWarningCode, ConnectionError, TypeProgress } from '@tributary/contracts';
import { type CollectionCheckpoint, wasSearched } from '../../checkpoints/checkpoint';
import type { FullSearch } from '../../checkpoints/verification-state';
import { hasReturnedAll } from '../reconcile/reconcile-deletions';
import type { TypeFailed } from '../../health-system/type-failed';

/** The outcome of an attempt, as reported to user-management. */
export type CollectionEnd = CompletedEnd | FailedEnd;

export interface CompletedEnd {
  state: 'completed';
  /** The types of which something is missing, with their outcomes. */
  gaps: string;
}

export interface FailedEnd {
  state: 'failed';
  /** After a transient failure the next attempt continues from the checkpoints. */
  failure: CollectionFailure;
  /** Whether the health system responded to any request of this attempt. */
  hasResponded: boolean;
  /** Whether it counts as a failed attempt: the health system responds to others of our requests. */
  isCounted: boolean;
  /** Names resource types, never values. */
  reasons: string;
}

/**
 * The error of the connection when the patient could not be read, and no search was answered either. A patient who
 * cannot be read while searches are answered is a gap. So is one who is not found while nothing else is: a grant for
 * several FHIR releases covers some in which the patient has no record. Every type has ended.
 */
export function missingPatient(
  { search, progress }: CollectionCheckpoint,
  checkpoints: Iterable<CollectionCheckpoint>,
): ConnectionError | undefined {
  const [warning] = progress.warnings;
  if (!progress.done || warning?.code === 'patient_not_found') return undefined;
  if (search.answered !== undefined || [...checkpoints].some((other) => other.search.answered !== undefined))
    return undefined;
  return {
    code: warning?.code === 'address_forbidden' ? 'address_forbidden' : 'patient_refused',
    message: warning?.message ?? 'the health system did not send the patient',
  };
}

/** The error of the connection when searches were made, and none was answered. Every type has ended. */
export function everythingRefused(checkpoints: readonly CollectionCheckpoint[]): ConnectionError | undefined {
  const searched = checkpoints.filter((checkpoint) => checkpoint.type !== 'Patient' && wasSearched(checkpoint));
  if (searched.length === 0 || searched.some(({ search }) => search.answered !== undefined)) return undefined;
  const reasons = new Set(searched.flatMap(({ progress }) => progress.warnings.map(({ message }) => message)));
  return {
    code: 'everything_refused',
    message: `none of the searches of ${searched.length} resource types was answered; ${[...reasons].slice(0, 3).join('; ')}`,
  };
}

/**
 * Gaps that a later full collection may close. Each collection repeats a refused search; a type that is not granted, or
 * a resource that is too large, stays missing.
 */
const temporaryGaps: ReadonlySet<CollectionWarningCode> = new Set([
  'results_withheld',
  'entry_unreadable',
  'resource_not_stored',
  'reference_refused',
  'reference_failed',
  'attachment_refused',
  'attachment_failed',
]);

/** Whether something is missing of a type that a later collection may find when it reads everything. */
export function hasTemporaryGap({ warnings }: Pick<TypeProgress, 'warnings'>): boolean {
  return warnings.some(({ code }) => temporaryGaps.has(code));
}

/** The error of a connection whose collection is repeated later. @param responds to others of our requests */
export function transientError(failures: readonly TypeFailed[], responds: boolean, message: string): ConnectionError {
  if (failures.some(({ code }) => code === 'access_lost')) return { code: 'access_lost', message };
  return { code: responds ? 'types_failed' : 'health_system_unavailable', message };
}

/** The types of which something is missing, by outcome: `failed: Condition; refused: Goal, Procedure`. */
export function describeGaps(checkpoints: Iterable<CollectionCheckpoint>): string {
  const typesByOutcome = new Map<string, string[]>();
  for (const { type, progress } of checkpoints)
    if (progress.outcome !== 'complete' && progress.outcome !== 'not_offered')
      typesByOutcome.set(progress.outcome, [...(typesByOutcome.get(progress.outcome) ?? []), type]);
  return [...typesByOutcome].map(([outcome, types]) => `${outcome}: ${types.join(', ')}`).join('; ');
}

/** What the next collections need to know of a type that is complete. */
export function fullSearchOf(checkpoint: CollectionCheckpoint): FullSearch {
  const { type, search } = checkpoint;
  const { restriction, verification } = search;
  if (!verification || restriction === 'date') return { type, isFull: false, isVerified: false, verifiedTo: undefined };
  const isVerifiable = verification.isReferred || hasReturnedAll(checkpoint);
  return { type, isFull: true, isVerified: verification.isDone || !isVerifiable, verifiedTo: verification.after };
}

/** Each reason once, with all types that it holds for: `Encounter, Observation: its pages lead in a circle`. */
export function describeFailures(failures: readonly TypeFailed[]): string {
  const typesByReason = new Map<string, Set<string>>();
  for (const { reason, type } of failures)
    typesByReason.set(reason, (typesByReason.get(reason) ?? new Set()).add(type));
  return [...typesByReason].map(([reason, types]) => `${[...types].join(', ')}: ${reason}`).join('; ');
}
