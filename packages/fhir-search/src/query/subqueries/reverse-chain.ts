import type { Resource } from '@tributary/fhir-json';
import type { Criterion } from '../../criteria/criterion';
import { containedResources } from '../../values/contained-resources';
import { containedReferencesOf, referencesOf } from '../references-of';
import type { ReverseChain } from '../search-query';
import { resourcesCriterion } from './resources-criterion';

/** Where a match of the chain's source refers to: the resources that the reverse chain selects. */
export function reverseChainTargets(
  { release, sourceType, reference }: ReverseChain,
  match: Resource,
): readonly string[] {
  return referencesOf(release, sourceType, reference, match);
}

/**
 * The criterion that replaces a reverse chain.
 * @param resolved the criteria that replace the subqueries of its source
 * @param targets the {@link reverseChainTargets} of all matches of its source
 */
export function reverseChainCriterion(
  { release, types, parameter, source, sourceType, reference }: ReverseChain,
  resolved: readonly Criterion[],
  targets: readonly string[],
): Criterion {
  const stored = resourcesCriterion(release, types, targets, parameter);
  const isSource = (resource: Resource, container?: Resource): boolean =>
    resource.resourceType === sourceType &&
    [...source.criteria, ...resolved].every((criterion) => criterion.matches(resource, container));
  return {
    ...stored,
    // Only its container, and others that it contains, can refer to a contained resource.
    matches: (resource, container) => {
      if (container === undefined) return stored.matches(resource);
      const { id } = resource;
      const refers = (other: Resource): boolean =>
        id !== undefined && containedReferencesOf(release, sourceType, reference, other).includes(id);
      return (
        (refers(container) && isSource(container)) ||
        containedResources(container).some((other) => refers(other) && isSource(other, container))
      );
    },
  };
}
