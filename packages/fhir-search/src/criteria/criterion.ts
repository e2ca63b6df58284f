import type { Resource } from '@tributary/fhir-json';
import type { Condition } from '../index-values';

/** One thing that a search asks of a resource, in the two forms in which it can be decided. */
export interface Criterion {
  /** The parameter as it was written, for messages. */
  parameter: string;
  /** Decided by the store's index; it never loses a match. */
  condition: Condition;
  /** The condition decides alone; otherwise `matches` decides on the resources that it leaves. */
  exact: boolean;
  matches(resource: Resource): boolean;
}

export const everything: Condition = { op: 'all' };
export const nothing: Condition = { op: 'or', of: [] };

/** At least one condition holds; terms are put together into one list. */
export function anyOf(conditions: readonly Condition[]): Condition {
  const flat = conditions.flatMap((condition) => (condition.op === 'or' ? condition.of : [condition]));
  if (flat.some((condition) => condition.op === 'all')) return everything;
  const terms = flat.flatMap((condition) => (condition.op === 'any-term' ? condition.terms : []));
  // Paths that share an index ask it the same.
  const others = [
    ...new Map(
      flat
        .filter((condition) => condition.op !== 'any-term')
        .map((condition) => [JSON.stringify(condition), condition]),
    ).values(),
  ];
  if (terms.length === 0 && others.length === 0) return nothing;
  const of: Condition[] = terms.length > 0 ? [{ op: 'any-term', terms: [...new Set(terms)] }, ...others] : others;
  return of.length === 1 && of[0] ? of[0] : { op: 'or', of };
}

export function allOf(conditions: readonly Condition[]): Condition {
  const of = conditions.flatMap((condition) =>
    condition.op === 'and' ? condition.of : condition.op === 'all' ? [] : [condition],
  );
  if (of.length === 0) return everything;
  return of.length === 1 && of[0] ? of[0] : { op: 'and', of };
}

export function anyCriterion(parameter: string, of: readonly Criterion[]): Criterion {
  return {
    parameter,
    condition: anyOf(of.map((each) => each.condition)),
    exact: of.every((each) => each.exact),
    matches: (resource) => of.some((each) => each.matches(resource)),
  };
}

export function allCriteria(parameter: string, of: readonly Criterion[]): Criterion {
  return {
    parameter,
    condition: allOf(of.map((each) => each.condition)),
    exact: of.every((each) => each.exact),
    matches: (resource) => of.every((each) => each.matches(resource)),
  };
}

/** The opposite. What an inexact condition leaves out is no match, but what it lets through may be none: nothing can be ruled out. */
export function notCriterion(parameter: string, of: Criterion): Criterion {
  return {
    parameter,
    condition: of.exact ? { op: 'not', of: of.condition } : everything,
    exact: of.exact,
    matches: (resource) => !of.matches(resource),
  };
}
