import { perRelease, type Release, resourceTypes } from '@tributary/fhir-definitions';
import type { Condition, Criterion } from '@tributary/fhir-search';
import { type TypeCode, type RecordReader, typeCodeOf } from '@tributary/record-storage';
import type { SearchMatch } from './search-match';

/** What is asked of resources once everything that other searches had to answer first is known. */
export interface Filter {
  readonly typeCodes: readonly TypeCode[];
  readonly where: Condition;
  /** Decided on the content; undefined when the condition decides alone. */
  readonly matches: ((found: SearchMatch) => boolean) | undefined;
  /** Whether the index can be relied on for an order, too. */
  readonly isIndexCurrent: boolean;
}

/**
 * All criteria together, for resources of these types (of every type when there are none). While a record still has index rows of other rules, these rows are
 * candidates of every search, and all criteria are decided on content.
 */
export async function filterOf(
  record: Pick<RecordReader, 'isIndexCurrent'>,
  release: Release,
  types: readonly string[],
  criteria: readonly Criterion[],
): Promise<Filter> {
  const isIndexCurrent = await record.isIndexCurrent();
  const onContent = isIndexCurrent ? criteria.filter((criterion) => !criterion.exact) : criteria;
  return {
    typeCodes: typeCodesOf(release, types),
    where: isIndexCurrent ? whereOf(criteria) : orOutdated(criteria),
    matches:
      onContent.length === 0
        ? undefined
        : ({ resource }) => onContent.every((criterion) => criterion.matches(resource)),
    isIndexCurrent,
  };
}

function whereOf(criteria: readonly Criterion[]): Condition {
  const [only] = criteria;
  if (only && criteria.length === 1) return only.condition;
  return only ? { op: 'and', of: criteria.map((criterion) => criterion.condition) } : { op: 'all' };
}

/** Columns of a row that no index rules make hold for outdated rows, too. */
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
