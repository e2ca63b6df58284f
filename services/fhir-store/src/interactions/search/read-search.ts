import type { Resource } from '@tributary/fhir-json';
import {
  type FindDefinitions,
  type SearchOptions,
  type SearchPairs,
  type SearchQuery,
  parseSearch,
  readTerminology,
  releaseTerminology,
} from '@tributary/fhir-search';
import { LRUCache } from 'lru-cache';
import type { FhirRequest, ReadRequest } from '../../fhir-http/fhir-request';
import { badRequest } from '../../fhir-http/fhir-error';
import { matching, resolveSearch } from './evaluate-search';

type ReadOptions = Pick<SearchOptions, 'strict' | 'inR4' | 'criteriaOnly'>;

/**
 * Parses a search. `:in`, `:not-in`, `:above` and `:below` can refer to value sets and code systems of the record
 * (https://hl7.org/fhir/R4/search.html#modifiers).
 * @throws SearchError for an invalid parameter, and in strict handling for an unsupported one
 */
export async function readSearch(
  request: Pick<ReadRequest, 'release' | 'record' | 'base'>,
  type: string | undefined,
  pairs: SearchPairs,
  options: ReadOptions,
): Promise<SearchQuery> {
  const terminology = await readTerminology(request.release, pairs, definitionsIn(request), request.base);
  const read = (): SearchQuery =>
    parseSearch(request.release, type, pairs, { ...options, baseUrl: request.base, terminology });
  return terminology === releaseTerminology(request.release) ? readOnce(request, type, pairs, options, read) : read();
}

/**
 * Parsed searches: applications send the same search for many records. They expire after a minute, because the prefix
 * `ap` depends on the time of parsing.
 */
const parsedSearches = new LRUCache<string, SearchQuery>({ max: 1000, maxSize: 1_000_000, ttl: 60_000 });

function readOnce(
  { release, base }: Pick<FhirRequest, 'release' | 'base'>,
  type: string | undefined,
  pairs: SearchPairs,
  { strict = false, inR4 = false, criteriaOnly = false }: ReadOptions,
  read: () => SearchQuery,
): SearchQuery {
  const text = JSON.stringify([release, base, type, strict, inR4, criteriaOnly, [...pairs]]);
  let query = parsedSearches.get(text);
  if (!query) {
    query = read();
    parsedSearches.set(text, query, { size: text.length });
  }
  return query;
}

/** The limit of the value sets and code systems that one search uses, in bytes. */
const maxBytes = 64_000_000;

function definitionsIn({ release, record }: Pick<ReadRequest, 'release' | 'record'>): FindDefinitions {
  let bytes = 0;
  return async (type, parameter, value) => {
    const query = parseSearch(release, type, [[parameter, value.replaceAll(/[\\,$|]/g, String.raw`\$&`)]], {
      strict: true,
    });
    const found: Resource[] = [];
    for await (const held of matching(record, await resolveSearch(record, release, query))) {
      bytes += held.json.length;
      if (bytes > maxBytes)
        throw badRequest('the value sets and code systems that the search uses are too large', 'too-costly');
      found.push(held.resource);
    }
    return found.toSorted((a, b) => String(b.meta?.lastUpdated).localeCompare(String(a.meta?.lastUpdated)));
  };
}
