import {
  type SearchOptions,
  type SearchPairs,
  type SearchQuery,
  parseSearch,
  releaseTerminology,
} from '@tributary/fhir-search';
import { LRUCache } from 'lru-cache';
import type { ReadRequest } from '../../../fhir-http/fhir-request';

export type ReadOptions = Pick<SearchOptions, 'strict' | 'inR4' | 'criteriaOnly'>;

/**
 * Parsed searches: applications send the same search for many records. They expire after a minute, because the prefix
 * `ap` depends on the time of parsing.
 */
const parsedSearches = new LRUCache<string, SearchQuery>({ max: 1000, maxSize: 1_000_000, ttl: 60_000 });

/** Parses a search, once for the same text. With terminology of a record, the result belongs to that record. */
export function parseOnce(
  { release, base }: Pick<ReadRequest, 'release' | 'base'>,
  type: string | undefined,
  pairs: SearchPairs,
  { terminology, ...options }: ReadOptions & Required<Pick<SearchOptions, 'terminology'>>,
): SearchQuery {
  const parse = (): SearchQuery => parseSearch(release, type, pairs, { ...options, baseUrl: base, terminology });
  if (terminology !== releaseTerminology(release)) return parse();
  const { strict = false, inR4 = false, criteriaOnly = false } = options;
  const text = JSON.stringify([release, base, type, strict, inR4, criteriaOnly, [...pairs]]);
  let query = parsedSearches.get(text);
  if (!query) {
    query = parse();
    parsedSearches.set(text, query, { size: text.length });
  }
  return query;
}
