import type { CollectionWarningCode, FhirVersion } from '@tributary/contracts';
import { compartment } from '@tributary/fhir-definitions';
import type { CollectionCheckpoint, SearchState } from '../checkpoints/checkpoint';
import type { EarlierCollections, FullSearch, VerificationState } from '../checkpoints/verification-state';
import { emptyProgress } from './progress';

/** The types of which only changes since the earlier collection are requested. */
export function incrementalTypes({ completeTypes, fullSearches, isRereadDue }: EarlierCollections): Set<string> {
  if (isRereadDue) return new Set();
  return new Set([...completeTypes].filter((type) => fullSearches.get(type)?.isDue === false));
}

/**
 * Plans the verification of a later collection: of every type that is searched, and of the referred types that are due.
 * @param conditionalReads the types for which the health system supports `If-Modified-Since`
 * @returns the planned types, and the referred ones
 */
export function planVerification(
  planned: readonly CollectionCheckpoint[],
  release: FhirVersion,
  { fullSearches }: EarlierCollections,
  conditionalReads: ReadonlySet<string>,
): CollectionCheckpoint[] {
  const searched = planned.map((checkpoint) => {
    // The patient is read; and what is only included in other searches is not complete when these look for changes.
    if (checkpoint.type === 'Patient' || checkpoint.search.remaining.length === 0) return checkpoint;
    const verification = startedVerification(fullSearches.get(checkpoint.type), false);
    return { ...checkpoint, search: { ...checkpoint.search, verification } };
  });
  const members = compartment(release, 'Patient');
  const referred = [...fullSearches]
    .filter(([type, { isDue }]) => isDue && !members.has(type) && !planned.some((known) => known.type === type))
    .map(([type, fullSearch]): CollectionCheckpoint => {
      const isConditional = conditionalReads.has(type);
      const verification = { ...startedVerification(fullSearch, true), isConditional };
      return {
        type,
        search: { remaining: [], verification },
        progress: { ...emptyProgress(type, 'references'), done: true, outcome: 'complete' },
      };
    });
  return [...searched, ...referred];
}

function startedVerification(
  earlier: { isDue: boolean; verifiedTo: string | undefined } | undefined,
  isReferred: boolean,
): VerificationState {
  const { isDue = true, verifiedTo } = earlier ?? {};
  return {
    isDue,
    isReferred,
    reads: 0,
    isDone: false,
    ...(verifiedTo === undefined ? {} : { after: verifiedTo, from: verifiedTo }),
  };
}

/** Parameters that do not restrict a search to a part of the type. */
const unrestricting = new Set(['patient', 'subject', 'beneficiary', 'patientId', '_count', '_revinclude', '_format']);

/** Notes how a search that has ended was restricted. @param url relative to the FHIR base */
export function noteRestriction(search: SearchState, url: string): void {
  const names = [...new URLSearchParams(url.split('?')[1] ?? '').keys()];
  if (names.some((name) => name !== '_lastUpdated' && !unrestricting.has(name))) search.restriction = 'part';
  else if (names.includes('_lastUpdated')) search.restriction ??= 'date';
}

/** Warnings after which nothing of a type is missing in the results of its searches. */
const harmless: ReadonlySet<CollectionWarningCode> = new Set([
  'page_size_refused',
  'search_restarted',
  'reference_not_found',
  'attachment_not_found',
  'absence_unexplained',
]);

/** Whether the searches of a type have returned everything: what they did not return may be deleted. */
export function hasReturnedAll({ search, progress }: CollectionCheckpoint): boolean {
  const { isIncomplete = false, restriction } = search;
  const isComplete = progress.done && progress.outcome === 'complete' && progress.failed === 0;
  return (
    isComplete &&
    !isIncomplete &&
    restriction === undefined &&
    progress.warnings.every(({ code }) => harmless.has(code))
  );
}

/** What the next collections need to know of a type that is complete. */
export function fullSearchOf(checkpoint: CollectionCheckpoint): FullSearch {
  const { type, search } = checkpoint;
  const { restriction, verification } = search;
  if (!verification || restriction === 'date') return { type, isFull: false, isVerified: false, verifiedTo: undefined };
  const isVerifiable = verification.isReferred || hasReturnedAll(checkpoint);
  return { type, isFull: true, isVerified: verification.isDone || !isVerifiable, verifiedTo: verification.after };
}
