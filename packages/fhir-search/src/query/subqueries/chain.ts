import { anyCriterion, type Criterion } from '../../criteria/criterion';
import { containedTargetCriterion } from '../../criteria/contained-target';
import { testCriterion } from '../../criteria/parameter-criterion';
import { referenceTest } from '../../criteria/reference';
import type { Chain, SubSearch } from '../search-query';
import { resourcesCriterion } from './resources-criterion';

/**
 * The search for resources whose reference is to one of their contained resources that matches the chain's target. A
 * search for the target does not find contained resources, since they have no index rows.
 * @param resolved the criteria that replace the subqueries of the chain's target
 */
export function containersOf(chain: Chain, resolved: readonly Criterion[]): SubSearch {
  return { types: chain.types, criteria: [containedCriterion(chain, resolved)], subqueries: [] };
}

/**
 * The criterion that replaces a chain.
 * @param resolved the criteria that replace the subqueries of the chain's target
 * @param targets references (`Type/id`) to the matches of the chain's target
 * @param containers references to the matches of {@link containersOf}
 */
export function chainCriterion(
  chain: Chain,
  resolved: readonly Criterion[],
  targets: readonly string[],
  containers: readonly string[],
): Criterion {
  const { reference, release, types, parameter } = chain;
  const refersToTarget = testCriterion(reference, [referenceTest(targets)], parameter);
  const refersToContained = containedCriterion(chain, resolved);
  const found =
    containers.length === 0
      ? refersToTarget
      : anyCriterion(parameter, [refersToTarget, resourcesCriterion(release, types, containers, parameter)]);
  return {
    ...found,
    // A contained resource that refers to another one of its container is none of the containers.
    matches: (resource, container) =>
      refersToTarget.matches(resource, container) || refersToContained.matches(resource, container),
  };
}

function containedCriterion({ reference, target, parameter }: Chain, resolved: readonly Criterion[]): Criterion {
  return containedTargetCriterion(reference, target.types, [...target.criteria, ...resolved], parameter);
}
