import type { Resource } from '@tributary/fhir-json';
import type { Criterion } from '../../criteria/criterion';
import { referencesOf } from '../references-of';
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
 * @param targets the {@link reverseChainTargets} of all matches of its source
 */
export function reverseChainCriterion(
  { release, types, parameter }: ReverseChain,
  targets: readonly string[],
): Criterion {
  return resourcesCriterion(release, types, targets, parameter);
}
