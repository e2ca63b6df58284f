import { perRelease, type Release, resourceTypes } from '@tributary/fhir-definitions';
import type { Condition, Criterion } from '@tributary/fhir-search';
import { type TypeCode, type RecordReader, typeCodeOf } from '@tributary/record-storage';
import type { SearchMatch } from './search-match';

/** The filter of a search after its subqueries are resolved. */
export interface Filter {
  readonly typeCodes: readonly TypeCode[];
  readonly where: Condition;
  /** The predicate on content; undefined when the condition is exact. */
  readonly matches: ((found: SearchMatch) => boolean) | undefined;
  /** Decides all criteria on content, whether the condition is exact or not. */
  readonly matchesContent: (found: SearchMatch) => boolean;
  /** Whether all index rows of the record have the current rules, so that they can be used for sorting. */
  readonly isIndexCurrent: boolean;
}

/**
 * The conjunction of criteria for resources of these types, or of all types when `types` is empty. While a record has
 * outdated index rows, these rows are candidates of every search, and all criteria are decided on content.
 */
export async function filterOf(
  record: Pick<RecordReader, 'isIndexCurrent'>,
  release: Release,
  types: readonly string[],
  criteria: readonly Criterion[],
): Promise<Filter> {
  const isIndexCurrent = await record.isIndexCurrent();
  const onContent = isIndexCurrent ? criteria.filter((criterion) => !criterion.exact) : criteria;
  const decidedBy =
    (some: readonly Criterion[]) =>
    ({ resource }: SearchMatch): boolean =>
      some.every((criterion) => criterion.matches(resource));
  return {
    typeCodes: typeCodesOf(release, types),
    where: isIndexCurrent ? whereOf(criteria) : orOutdated(criteria),
    matches: onContent.length === 0 ? undefined : decidedBy(onContent),
    matchesContent: decidedBy(criteria),
    isIndexCurrent,
  };
}

function whereOf(criteria: readonly Criterion[]): Condition {
  const [only] = criteria;
  if (only && criteria.length === 1) return only.condition;
  return only ? { op: 'and', of: criteria.map((criterion) => criterion.condition) } : { op: 'all' };
}

/** Conditions on the index also admit outdated rows. Columns that index rules do not affect are valid for all rows. */
function orOutdated(criteria: readonly Criterion[]): Condition {
  const byIndex = criteria.filter(({ condition }) => readsIndex(condition));
  if (byIndex.length === 0) return whereOf(criteria);
  const byColumns = criteria.filter((criterion) => !byIndex.includes(criterion));
  return {
    op: 'and',
    of: [...byColumns.map(({ condition }) => condition), { op: 'or', of: [whereOf(byIndex), { op: 'outdated' }] }],
  };
}

function readsIndex(condition: Condition): boolean {
  switch (condition.op) {
    case 'any-term':
    case 'range':
    case 'has-range':
      return true;
    case 'and':
    case 'or':
      return condition.of.some(readsIndex);
    case 'not':
      return readsIndex(condition.of);
    case 'id':
    case 'last-updated':
    case 'outdated':
    case 'all':
      return false;
  }
}

const codesOfAllTypes = perRelease((release): readonly TypeCode[] =>
  resourceTypes(release).map((type) => typeCodeOf(release, type)),
);

/** The type codes of these types, or of all types of the release when there are none. */
export function typeCodesOf(release: Release, types: readonly string[]): readonly TypeCode[] {
  return types.length > 0 ? types.map((type) => typeCodeOf(release, type)) : codesOfAllTypes(release);
}
