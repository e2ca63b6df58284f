import type { FhirVersion } from '@tributary/contracts';
import { compartment } from '@tributary/fhir-definitions';
import type { CollectionCheckpoint } from '../../checkpoints/checkpoint';
import type { EarlierCollections, VerificationState } from '../../checkpoints/verification-state';
import { emptyProgress } from '../../checkpoints/progress';

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
