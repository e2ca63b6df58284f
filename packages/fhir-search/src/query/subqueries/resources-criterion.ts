import { resourceTypes, type Release } from '@tributary/fhir-definitions';
import type { Criterion } from '../../criteria/criterion';

/**
 * Matches the resources that the references (`Type/id`) name.
 * @param types the types of the search; empty for all types
 */
export function resourcesCriterion(
  release: Release,
  types: readonly string[],
  references: readonly string[],
  parameter: string,
): Criterion {
  const searchedTypes = new Set(types.length > 0 ? types : resourceTypes(release));
  const named = new Set(references.filter((reference) => searchedTypes.has(reference.split('/')[0] ?? '')));
  const ids = new Set([...named].map((reference) => reference.slice(reference.indexOf('/') + 1)));
  return {
    parameter,
    condition: { op: 'id', ids: [...ids] },
    // With several types, two resources can have the same id.
    exact: types.length === 1,
    // The id of a contained resource can be that of a stored one.
    matches: ({ resourceType, id }, container) => container === undefined && named.has(`${resourceType}/${id}`),
  };
}
