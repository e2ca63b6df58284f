import type { Resource } from '@tributary/fhir-json';
import { matchAll, type Criterion } from '../criteria/criterion';
import { containedResources } from '../values/contained-resources';
import type { SearchQuery } from './search-query';

/** A search with `_contained=true` or `both`: https://hl7.org/fhir/R4/search.html#contained. */
export interface ContainedSearch {
  /** For resources of all types: a contained resource matches, or with `both` the resource itself. */
  readonly criterion: Criterion;
  /** Whether a resource itself matches, and not only one of its contained resources. */
  matchesItself(resource: Resource): boolean;
  /** The contained resources of a container that match. */
  matchesWithin(container: Resource): Resource[];
}

/**
 * The search for contained resources that fulfil the criteria of a query. The index does not have contained resources,
 * so every resource of the record is a candidate.
 * @param resolved the criteria that replace the subqueries of the query
 */
export function containedSearch(
  { types, criteria, result }: Pick<SearchQuery, 'types' | 'criteria' | 'result'>,
  resolved: readonly Criterion[],
): ContainedSearch {
  const all = [...criteria, ...resolved];
  const matches = (resource: Resource, container?: Resource): boolean =>
    (types.length === 0 || types.includes(resource.resourceType)) &&
    all.every((criterion) => criterion.matches(resource, container));
  const matchesWithin = (container: Resource): Resource[] =>
    containedResources(container).filter((resource) => matches(resource, container));
  return {
    criterion: {
      parameter: '_contained',
      condition: matchAll,
      exact: false,
      matches: (resource) => matchesWithin(resource).length > 0 || (result.contained === 'both' && matches(resource)),
    },
    matchesItself: (resource) => matches(resource),
    matchesWithin,
  };
}
