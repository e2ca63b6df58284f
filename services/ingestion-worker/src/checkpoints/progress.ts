import {
  type CollectionWarningCode,
  type ResourceOutcome,
  type TypeProgress,
  type TypeRead,
  outcomeOfWarnings,
} from '@tributary/contracts';

/** The progress of a type that is not collected yet. */
export function emptyProgress(type: string, read: TypeRead): TypeProgress {
  return {
    type,
    read,
    fetched: 0,
    stored: 0,
    unchanged: 0,
    failed: 0,
    created: 0,
    deleted: 0,
    done: false,
    outcome: 'pending',
    warnings: [],
  };
}

const maxWarnings = 20;

/** Adds a warning, once. A type has at most 20, and one of each code: the outcome follows from the codes. */
export function warn(progress: TypeProgress, code: CollectionWarningCode, message: string): void {
  const { warnings } = progress;
  const isKnown = warnings.some((warning) => warning.code === code && warning.message === message);
  const isFirst = warnings.every((warning) => warning.code !== code);
  if (!isKnown && (isFirst || warnings.length < maxWarnings)) warnings.push({ code, message });
  if (progress.done) progress.outcome = outcomeOfWarnings(warnings);
}

/** Marks a type as ended; its outcome follows from its warnings. */
export function finish(progress: TypeProgress): void {
  progress.done = true;
  progress.outcome = outcomeOfWarnings(progress.warnings);
}

/** Corrects the warnings of a type of which one search was refused and another one accepted. */
export function markPartlyRefused(progress: TypeProgress): void {
  for (const warning of progress.warnings)
    if (warning.code === 'search_refused') warning.code = 'search_partly_refused';
  if (progress.done) progress.outcome = outcomeOfWarnings(progress.warnings);
}

/** Corrects the warnings of a type of which every reference was answered as if its target did not exist. */
export function markNotFoundUncertain(progress: TypeProgress): void {
  for (const warning of progress.warnings) {
    if (warning.code === 'reference_not_found') warning.code = 'reference_failed';
    if (warning.code === 'attachment_not_found') warning.code = 'attachment_failed';
  }
  if (progress.done) progress.outcome = outcomeOfWarnings(progress.warnings);
}

export type Counts = Pick<TypeProgress, 'fetched' | 'stored' | 'unchanged' | 'failed'>;

export function countsOf({ fetched, stored, unchanged, failed }: Counts): Counts {
  return { fetched, stored, unchanged, failed };
}

/** The counts that were added since some earlier counts. */
export function countsSince(counts: Counts, earlier: Counts): Counts {
  return {
    fetched: counts.fetched - earlier.fetched,
    stored: counts.stored - earlier.stored,
    unchanged: counts.unchanged - earlier.unchanged,
    failed: counts.failed - earlier.failed,
  };
}

/**
 * Counts fetched resources by the outcome of storing each. `created` is no part of `Counts`: when a search is
 * restarted, what it has created and counted is not created the next time.
 */
export function countOutcomes(progress: TypeProgress, outcomes: ResourceOutcome[]): void {
  progress.fetched += outcomes.length;
  for (const { outcome, created, version = 1, reason } of outcomes) {
    progress[outcome]++;
    if (created === true) progress.created++;
    if (created === true && version > 1) progress.restored = (progress.restored ?? 0) + 1;
    if (outcome === 'failed')
      warn(progress, 'resource_not_stored', `a resource was not stored: ${reason ?? 'no reason given'}`);
  }
}
