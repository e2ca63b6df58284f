import type { TypeProgress } from '@tributary/contracts';
import { z } from 'zod';
import { verificationState } from './verification-state';

/** How far the collection of one type is. */
export interface CollectionCheckpoint {
  type: string;
  search: SearchState;
  progress: TypeProgress;
}

const counts = z.object({ fetched: z.int(), stored: z.int(), unchanged: z.int(), failed: z.int() });

/** A search that failed. It is repeated from its page after the other searches of the type. */
const postponedSearch = z.object({
  search: z.string(),
  page: z.string().optional(),
  restarts: z.int().optional(),
  /** What the search has added to the counts of the type. */
  counts,
});

/** A change of the searches of a type after the health system refused them. It applies to the searches as planned. */
const searchChange = z.object({
  /** What is new in this change. */
  step: z.enum(['page-size', 'revinclude', 'single-values', 'last-updated', 'required', 'patient']),
  /** The new `_count`; 0 to leave it out. */
  count: z.int().optional(),
  /** The names of parameters to leave out. */
  without: z.array(z.string()).optional(),
  /** The parameter of `requiredParameters` to add. */
  required: z.string().optional(),
  /** One search for each value instead of one search with all values, separated by commas. */
  isSplit: z.boolean().optional(),
  /** The parameter for the patient. */
  patient: z.string().optional(),
});
export type SearchChange = z.infer<typeof searchChange>;

export const searchState = z.object({
  /** The searches to do, as URLs relative to the FHIR base. The first one is in progress. */
  remaining: z.array(z.string()),
  /** The URL of the next page of the first search; absent at its start. */
  page: z.string().optional(),
  /** How many times the first search was restarted. */
  restarts: z.int().optional(),
  /** The counts of the type at the start of the first search. A restart resets the counts to them. */
  countsAtStart: counts.optional(),
  postponed: z.array(postponedSearch).optional(),
  /**
   * References to resources that are being stored. When the process ends before their outcomes are saved, the next
   * attempt counts those that the record has: it does not read them again.
   */
  storing: z.array(z.string()).optional(),
  /**
   * What the searches had created in the record until then is counted: by the clock of fhir-store's database, in epoch
   * milliseconds.
   */
  createdUntil: z.int().optional(),
  /** Spans of time by the same clock in which an ended attempt may have created resources without counting them. */
  uncounted: z.array(z.object({ after: z.int(), until: z.int() })).optional(),
  /** The ids in the record of what was created in these spans and is counted. */
  recounted: z.array(z.string()).optional(),
  /** The last search that the health system answered. */
  answered: z.string().optional(),
  /** A search was refused, or failed for good: the next collection reads the type in full. */
  isIncomplete: z.boolean().optional(),
  /** The attempts in a row that have failed at this type although the health system responds. */
  failedAttempts: z.int().optional(),
  /** The `_count` to which time-outs have lowered the pages, until a page of this size has come. */
  loweredPageSize: z.int().optional(),
  /** The health system has accepted one of the searches. */
  isAccepted: z.boolean().optional(),
  /** How the searches are changed, while the health system has refused every form of the first one. */
  refused: z.object({ searches: z.array(z.string()), change: searchChange, left: z.array(searchChange) }).optional(),
  /** The CapabilityStatement does not offer the search. */
  isUnannounced: z.boolean().optional(),
  /** Whether the searches include Provenance, or had to leave it out. */
  provenance: z.enum(['included', 'omitted']).optional(),
  /** The searches were restricted: to changes since a date, or to a part of the type. */
  restriction: z.enum(['date', 'part']).optional(),
  /** Only in a later collection of a connection. */
  verification: verificationState.optional(),
});
export type SearchState = z.infer<typeof searchState>;

/** Whether searches of the type are left to do. */
export function isOpen({ search, progress }: CollectionCheckpoint): boolean {
  return !progress.done && search.remaining.length + (search.postponed?.length ?? 0) > 0;
}

/** Whether the type has ended, and no search of it was refused or failed. */
export function hasNoGap({ search, progress }: CollectionCheckpoint): boolean {
  return progress.done && !search.isIncomplete && (progress.outcome === 'complete' || progress.outcome === 'partial');
}

/** Whether the type is searched, or the patient; other types are read by reference, or not at all. */
export function wasSearched(checkpoint: CollectionCheckpoint): boolean {
  const { search } = checkpoint;
  return isOpen(checkpoint) || search.answered !== undefined || search.isIncomplete === true;
}
