import type { ResourceOutcome } from '@tributary/contracts';
import { type CollectionCheckpoint, isOpen } from '../../checkpoints/checkpoint';

/**
 * Counts what the search of a type has created. A page that is stored again, as the process ended or the response was
 * lost before it was counted, finds the resources that it has created unchanged. Its creations are those in their first
 * version that were stored after everything that is counted, or in the span of time in which an ended attempt may have
 * stored without counting. The spans also apply when the search began anew in between and counted later creations.
 * @param now the clock of fhir-store's database, in epoch milliseconds
 */
export function noteCreated(
  { type, search }: Pick<CollectionCheckpoint, 'type' | 'search'>,
  outcomes: readonly ResourceOutcome[],
  now: number,
): void {
  const { createdUntil = now, uncounted = [] } = search;
  const recounted = new Set(search.recounted);
  for (const outcome of outcomes) {
    const { id, version, last_updated: at = 0 } = outcome;
    if (outcome.outcome !== 'unchanged' || outcome.type !== type || version !== 1) continue;
    const isInSpan = uncounted.some(({ after, until }) => at > after && at <= until);
    if (isInSpan && id !== undefined && !recounted.has(id)) {
      recounted.add(id);
      outcome.created = true;
    } else if (at > createdUntil) outcome.created = true;
  }
  if (recounted.size > 0) search.recounted = [...recounted];
  search.createdUntil = Math.max(createdUntil, now, ...outcomes.map(({ last_updated: time = 0 }) => time));
}

/**
 * Notes that an attempt has ended, which may have stored resources without counting them.
 * @param now the clock of fhir-store's database, in epoch milliseconds
 */
export function noteEndedAttempt(checkpoints: readonly CollectionCheckpoint[], now: number): void {
  for (const { search } of checkpoints.filter(isOpen)) {
    const { createdUntil, uncounted = [] } = search;
    if (createdUntil === undefined || createdUntil >= now) continue;
    const last = uncounted.at(-1);
    // Nothing was counted since: the spans are one.
    if (last?.until === createdUntil) last.until = now;
    else search.uncounted = [...uncounted, { after: createdUntil, until: now }];
    search.createdUntil = now;
  }
}
