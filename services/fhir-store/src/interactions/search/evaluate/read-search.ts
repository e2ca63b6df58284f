import type { Resource } from '@tributary/fhir-json';
import {
  type FindDefinitions,
  type SearchPairs,
  type SearchQuery,
  parseSearch,
  readTerminology,
} from '@tributary/fhir-search';
import type { ReadRequest } from '../../../fhir-http/fhir-request';
import { badRequest } from '../../../fhir-http/fhir-error';
import { type ReadOptions, parseOnce } from '../parse/parse-once';
import { matching, resolveSearch } from './evaluate-search';

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
  return parseOnce(request, type, pairs, { ...options, terminology });
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
