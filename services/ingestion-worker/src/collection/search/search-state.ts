import type { CollectionCheckpoint, SearchState } from '../../checkpoints/checkpoint';
import { countsOf, countsSince, finish, markPartlyRefused, warn } from '../../checkpoints/progress';
import { lowerPageSize } from './lower-page-size';
import type { TypeFailed } from '../../health-system/type-failed';

/**
 * The number of consecutive failed attempts at a type, with one page size and while the health system responds to other
 * searches, after which the type ends as failed. Each attempt repeats its requests, and user-management waits 10 s
 * between two: a short outage leaves no gap, and a broken type keeps the record from completing for 20 s. A connection
 * with a failed type is soon collected again.
 */
export const maxFailedAttemptsOfType = 2;

/**
 * The URL of the search in progress. After the last one, those that failed are taken up again.
 * @returns undefined when there is none left
 */
export function startSearch({ search, progress }: CollectionCheckpoint): string | undefined {
  const [postponed] = search.remaining.length === 0 ? (search.postponed?.splice(0, 1) ?? []) : [];
  if (postponed) {
    search.remaining = [postponed.search];
    if (postponed.page !== undefined) search.page = postponed.page;
    if (postponed.restarts !== undefined) search.restarts = postponed.restarts;
    search.countsAtStart = countsSince(progress, postponed.counts);
  }
  return search.remaining[0];
}

/**
 * Moves the search in progress, which failed, behind the other searches of the type.
 * @returns false when there is no other search, or the form in which the health system accepts them is not found yet
 */
export function postponeSearch({ search, progress }: CollectionCheckpoint): boolean {
  const [failed, ...others] = search.remaining;
  const postponed = search.postponed ?? [];
  if (failed === undefined || search.refused || others.length + postponed.length === 0) return false;
  search.remaining = others;
  search.postponed = [
    ...postponed,
    {
      search: failed,
      page: search.page,
      restarts: search.restarts,
      counts: countsSince(progress, search.countsAtStart ?? countsOf(progress)),
    },
  ];
  forgetPosition(search);
  return true;
}

/** Ends the search in progress with its failure, for good. */
export function failSearch(checkpoint: CollectionCheckpoint, { code, reason }: TypeFailed): void {
  warn(checkpoint.progress, code, reason);
  checkpoint.search.isIncomplete = true;
  endSearch(checkpoint);
}

/**
 * Counts a failed attempt at the type, which ends with the failure after the last one. The next attempt requests
 * smaller pages when a page was too heavy: at once for a first page, and after a second failure for a later one, which
 * has shown that the size is possible. The type does not end while a smaller page is possible.
 */
export function countFailedAttempt(
  checkpoint: CollectionCheckpoint,
  { code, reason, isPageTooHeavy }: Pick<TypeFailed, 'code' | 'reason' | 'isPageTooHeavy'>,
): void {
  const { search, progress } = checkpoint;
  const isInProgress = search.page !== undefined || search.postponed?.some(({ page }) => page !== undefined);
  const isSizeDoubted = isPageTooHeavy && (!isInProgress || search.failedAttempts !== undefined);
  const isLowered = isSizeDoubted && lowerPageSize(checkpoint);
  search.failedAttempts = isLowered ? 1 : (search.failedAttempts ?? 0) + 1;
  if (search.failedAttempts < maxFailedAttemptsOfType) return;
  warn(progress, code, reason);
  search.isIncomplete = true;
  endType(checkpoint);
}

/** Ends the search in progress; after the last one, the type. */
export function endSearch(checkpoint: CollectionCheckpoint): void {
  const { search } = checkpoint;
  noteRestriction(search, search.remaining.shift() ?? '');
  delete search.refused;
  forgetPosition(search);
  if (search.remaining.length === 0 && (search.postponed?.length ?? 0) === 0) endType(checkpoint);
}

/**
 * Ends the type: its outcome follows from its warnings. Refusals of some of its searches count as such when another
 * search was answered.
 */
export function endType({ search, progress }: CollectionCheckpoint): void {
  if (search.answered !== undefined) markPartlyRefused(progress);
  search.remaining = [];
  delete search.postponed;
  finish(progress);
}

function forgetPosition(search: CollectionCheckpoint['search']): void {
  delete search.page;
  delete search.restarts;
  delete search.countsAtStart;
}

/** Parameters that do not restrict a search to a part of the type. */
const unrestricting = new Set(['patient', 'subject', 'beneficiary', 'patientId', '_count', '_revinclude', '_format']);

/** Notes how a search that has ended was restricted. @param url relative to the FHIR base */
function noteRestriction(search: SearchState, url: string): void {
  const names = [...new URLSearchParams(url.split('?')[1] ?? '').keys()];
  if (names.some((name) => name !== '_lastUpdated' && !unrestricting.has(name))) search.restriction = 'part';
  else if (names.includes('_lastUpdated')) search.restriction ??= 'date';
}
