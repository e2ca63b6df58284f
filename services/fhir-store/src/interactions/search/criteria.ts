import type { Release } from '@tributary/fhir-definitions';
import { resourceTypes } from '@tributary/fhir-definitions';
import type { Condition, Criterion } from '@tributary/fhir-search';
import { type Kind, kindOf } from '@tributary/record-storage';
import type { Found } from './found';

/** What is asked of resources once everything that other searches had to answer first is known. */
export interface Filter {
  readonly kinds: readonly Kind[];
  readonly where: Condition;
  /** Decided on the content; undefined when the condition decides alone. */
  readonly matches: ((found: Found) => boolean) | undefined;
}

/** All criteria together, for resources of these types (of every type when there are none). */
export function filterOf(release: Release, types: readonly string[], criteria: readonly Criterion[]): Filter {
  const inexact = criteria.filter((criterion) => !criterion.exact);
  return {
    kinds: kindsOf(release, types),
    where: whereOf(criteria),
    matches: inexact.length === 0 ? undefined : ({ resource }) => inexact.every((criterion) => criterion.matches(resource)),
  };
}

function whereOf(criteria: readonly Criterion[]): Condition {
  const [only] = criteria;
  if (only && criteria.length === 1) return only.condition;
  return only ? { op: 'and', of: criteria.map((criterion) => criterion.condition) } : { op: 'all' };
}

const everyKind = new Map<Release, readonly Kind[]>();

/** The kinds of these types; of every type when there are none. */
export function kindsOf(release: Release, types: readonly string[]): readonly Kind[] {
  if (types.length > 0) return types.map((type) => kindOf(release, type));
  let kinds = everyKind.get(release);
  if (!kinds) {
    kinds = resourceTypes(release).map((type) => kindOf(release, type));
    everyKind.set(release, kinds);
  }
  return kinds;
}
