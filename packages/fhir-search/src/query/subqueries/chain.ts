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
export function containersOf(
  { reference, types, target, parameter }: Chain,
  resolved: readonly Criterion[],
): SubSearch {
  return {
    types,
    criteria: [containedTargetCriterion(reference, target.types, [...target.criteria, ...resolved], parameter)],
    subqueries: [],
  };
}

/**
 * The criterion that replaces a chain.
 * @param targets references (`Type/id`) to the matches of the chain's target
 * @param containers references to the matches of {@link containersOf}
 */
export function chainCriterion(
  { reference, release, types, parameter }: Chain,
  targets: readonly string[],
  containers: readonly string[],
): Criterion {
  const refersToTarget = testCriterion(reference, [referenceTest(targets)], parameter);
  if (containers.length === 0) return refersToTarget;
  return anyCriterion(parameter, [refersToTarget, resourcesCriterion(release, types, containers, parameter)]);
}
