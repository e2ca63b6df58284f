import type { Release } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import { type SearchQuery, parseSearch } from '@tributary/fhir-search';

/** A search of one type, as `_typeFilter` names it. */
export interface TypeFilter {
  readonly type: string;
  readonly query: string;
}

/** Splits `Observation?status=final` into type and query; undefined for text of another form. */
export function readTypeFilter(text: string): TypeFilter | undefined {
  const [, type, query] = /^([A-Z][A-Za-z]*)\?(.+)$/s.exec(text) ?? [];
  return type !== undefined && query !== undefined ? { type, query } : undefined;
}

/** Splits a list of searches. A comma ends a search only before the beginning of another: `A?x=1,2,B?y=3` is two. */
export function splitTypeFilters(value: string): string[] {
  return value.split(/,(?=[A-Z][A-Za-z]*\?)/);
}

/** The search depends on other resources, or has parameters for the result Bundle, which an export does not have. */
export class UnusableTypeFilter extends Error {
  override readonly name = 'UnusableTypeFilter';
}

/**
 * Returns the test of whether a resource matches the search.
 * @param now the time that relative values of the search refer to, in epoch milliseconds
 * @throws SearchError when the release lacks the search
 * @throws UnusableTypeFilter when the search depends on other resources or has parameters for the result
 */
export function typeFilterTest(
  release: Release,
  { type, query }: TypeFilter,
  now: number,
): (resource: Resource) => boolean {
  const search = parseSearch(release, type, new URLSearchParams(query), { strict: true, now });
  if (search.subqueries.length > 0)
    throw new UnusableTypeFilter(
      '_typeFilter: searches through other resources (chains, _has, _list) are not supported',
    );
  if (hasResultParameters(search))
    throw new UnusableTypeFilter(
      '_typeFilter: parameters for the result (_sort, _count, _include, _elements, …) are not supported',
    );
  return (resource) => search.criteria.every((criterion) => criterion.matches(resource));
}

function hasResultParameters({ result }: SearchQuery): boolean {
  const { sort, count, total, summary, elements, include, revinclude, contained } = result;
  return (
    sort.length + include.length + revinclude.length > 0 ||
    [count, total, summary, elements].some((value) => value !== undefined) ||
    contained !== 'false'
  );
}
