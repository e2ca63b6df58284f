import type { Resource } from '@tributary/fhir-json';
import type { Condition } from '../index/index-values';

/** One requirement of a search. The index decides it by `condition`, the content of the resource by `matches`. */
export interface Criterion {
  /** The search parameter as it was written, for error messages. */
  parameter: string;
  /** Evaluated on the store's index. It holds for every match, and when `exact` is false also for other resources. */
  condition: Condition;
  /** Whether `condition` alone decides. When false, `matches` decides for the resources that fulfil the condition. */
  exact: boolean;
  /** @param container the resource that contains the resource, when it is a contained one */
  matches(resource: Resource, container?: Resource): boolean;
}

/** Holds for every row. */
export const matchAll: Condition = { op: 'all' };
/** Holds for no row. */
export const matchNone: Condition = { op: 'or', of: [] };

/** Holds when any of the conditions holds. The terms of all `any-term` conditions become one list. */
export function anyOf(conditions: readonly Condition[]): Condition {
  const flat = conditions.flatMap((condition) => (condition.op === 'or' ? condition.of : [condition]));
  if (flat.some((condition) => condition.op === 'all')) return matchAll;
  const terms = flat.flatMap((condition) => (condition.op === 'any-term' ? condition.terms : []));
  // Paths of the same element have equal conditions.
  const others = [
    ...new Map(
      flat
        .filter((condition) => condition.op !== 'any-term')
        .map((condition) => [JSON.stringify(condition), condition]),
    ).values(),
  ];
  if (terms.length === 0 && others.length === 0) return matchNone;
  const of: Condition[] = terms.length > 0 ? [{ op: 'any-term', terms: [...new Set(terms)] }, ...others] : others;
  return of.length === 1 && of[0] ? of[0] : { op: 'or', of };
}

/** Holds when all conditions hold. */
export function allOf(conditions: readonly Condition[]): Condition {
  const of = conditions.flatMap((condition) =>
    condition.op === 'and' ? condition.of : condition.op === 'all' ? [] : [condition],
  );
  if (of.length === 0) return matchAll;
  return of.length === 1 && of[0] ? of[0] : { op: 'and', of };
}

/** Matches when any of the criteria matches. */
export function anyCriterion(parameter: string, of: readonly Criterion[]): Criterion {
  return {
    parameter,
    condition: anyOf(of.map((each) => each.condition)),
    exact: of.every((each) => each.exact),
    matches: (resource, container) => of.some((each) => each.matches(resource, container)),
  };
}

/** Matches when all criteria match. */
export function allCriteria(parameter: string, of: readonly Criterion[]): Criterion {
  return {
    parameter,
    condition: allOf(of.map((each) => each.condition)),
    exact: of.every((each) => each.exact),
    matches: (resource, container) => of.every((each) => each.matches(resource, container)),
  };
}

/**
 * Negates a criterion. The condition of an exact criterion is negated. An inexact condition also holds for resources
 * that do not match, and these match the negation, so no resource can be excluded by the index.
 */
export function notCriterion(parameter: string, of: Criterion): Criterion {
  return {
    parameter,
    condition: of.exact ? { op: 'not', of: of.condition } : matchAll,
    exact: of.exact,
    matches: (resource, container) => !of.matches(resource, container),
  };
}
