import type { Release } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import { type SearchQuery, parseSearch } from '@tributary/fhir-search';

/** A search of one type, as `_typeFilter` names it. */
export interface TypeFilter {
  readonly type: string;
  readonly query: string;
}

/** Takes `Observation?status=final` apart; undefined for what is not of this form. */
export function readTypeFilter(text: string): TypeFilter | undefined {
  const [, type, query] = /^([A-Z][A-Za-z]*)\?(.+)$/s.exec(text) ?? [];
  return type !== undefined && query !== undefined ? { type, query } : undefined;
}

/** A comma ends a search only where another one begins: `A?x=1,2,B?y=3` are two. */
export function splitTypeFilters(value: string): string[] {
  return value.split(/,(?=[A-Z][A-Za-z]*\?)/);
}

/** The search needs something else than the resource itself, or speaks of the answer, which an export does not have. */
export class UnusableTypeFilter extends Error {
  override readonly name = 'UnusableTypeFilter';
}

/**
 * The test that a search puts to each resource.
 * @param now for what is relative to the time of the search
 * @throws SearchError when the release has no such search; UnusableTypeFilter
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
  if (asksOfTheAnswer(search))
    throw new UnusableTypeFilter(
      '_typeFilter: parameters about the answer (_sort, _count, _include, _elements, …) are not supported',
    );
  return (resource) => search.criteria.every((criterion) => criterion.matches(resource));
}

function asksOfTheAnswer({ result }: SearchQuery): boolean {
  const { sort, count, total, summary, elements, include, revinclude, contained } = result;
  return (
    sort.length + include.length + revinclude.length > 0 ||
    [count, total, summary, elements].some((asked) => asked !== undefined) ||
    contained !== 'false'
  );
}
