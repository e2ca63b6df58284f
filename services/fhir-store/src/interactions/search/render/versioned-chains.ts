import type { Release } from '@tributary/fhir-definitions';
import { type Subquery, includedReferences } from '@tributary/fhir-search';
import type { SearchMatch } from '../evaluate/search-match';

/**
 * The chains that led to matches by a reference to a version. A chain is decided by the current version of its target,
 * since only that one is indexed (https://hl7.org/fhir/R4/search.html#versions).
 * @returns the parameters as they were written
 */
export function chainsOverVersions(
  release: Release,
  subqueries: readonly Subquery[],
  matches: readonly SearchMatch[],
): string[] {
  return subqueries
    .filter((subquery) => subquery.kind === 'chain')
    .filter(({ reference }) =>
      matches.some(
        (match) =>
          // Most resources need not be parsed.
          match.json.includes('/_history/') &&
          includedReferences(
            release,
            { source: match.resource.resourceType, parameter: reference.code, iterate: false },
            match.resource,
          ).some((text) => text.includes('/_history/')),
      ),
    )
    .map(({ parameter }) => parameter);
}
