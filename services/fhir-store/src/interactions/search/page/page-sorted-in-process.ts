import type { SortKey } from '@tributary/fhir-search';
import { type Direction, type RecordReader, wholeLength } from '@tributary/record-storage';
import type { Filter } from '../evaluate/search-filter';
import { SearchMatch } from '../evaluate/search-match';
import type { MatchPage, PageRequest } from './match-page';
import { matching } from '../evaluate/evaluate-search';

type Keys = readonly (string | number | null)[];

interface SortedMatch {
  readonly keys: Keys;
  readonly found: SearchMatch;
}

/**
 * A page in an order that needs the content, such as the order of names. It reads all matches and keeps those of the
 * page. The position of a page is the sort keys of the resource from which reading continues, so inserts do not shift
 * pages.
 */
export async function sortedPage(
  record: RecordReader,
  filter: Filter,
  { sort, count, maxBytes, after, direction }: PageRequest,
): Promise<MatchPage> {
  const compare = comparatorOf(sort, direction);
  const from = after && 'sorted' in after ? after.sorted : undefined;
  const kept: SortedMatch[] = [];
  let bytes = 0;
  let isFull = false;
  let total = 0;
  for await (const found of matching(record, filter)) {
    total++;
    const keys = keysOf(sort, found);
    if (from && compare(keys, from) <= 0) continue;
    const last = kept.at(-1);
    if (isFull && last && compare(keys, last.keys) >= 0) continue;
    // The new match does not retain the parsed resource.
    kept.splice(insertionIndex(compare, kept, keys), 0, {
      keys,
      found: new SearchMatch(found.typeCode, found.id, found.json),
    });
    bytes += wholeLength(found.json);
    while (kept.length > 1 && (kept.length > count || bytes > maxBytes)) {
      const dropped = kept.pop();
      bytes -= dropped ? wholeLength(dropped.found.json) : 0;
      isFull = true;
    }
  }
  const last = kept.at(-1);
  const next = isFull && last ? { sorted: last.keys } : undefined;
  if (direction === 'backward') kept.reverse();
  return {
    matches: kept.map(({ found }) => found),
    positions: kept.map(({ keys }) => ({ sorted: keys })),
    next,
    total,
  };
}

type Comparator = (a: Keys, b: Keys) => number;

function insertionIndex(compare: Comparator, kept: readonly SortedMatch[], keys: Keys): number {
  let low = 0;
  let high = kept.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare((kept[middle] as SortedMatch).keys, keys) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The sort keys of a resource, with type code and id to make the order total. */
function keysOf(sort: readonly SortKey[], found: SearchMatch): Keys {
  return [...sort.map((key) => key.valueOf(found.resource) ?? null), found.typeCode, found.id];
}

/** The order in the direction of reading. */
function comparatorOf(sort: readonly SortKey[], direction: Direction): Comparator {
  return direction === 'forward' ? (a, b) => compareKeys(sort, a, b) : (a, b) => compareKeys(sort, b, a);
}

/** Resources without a key are last, whether a sort is ascending or descending. */
function compareKeys(sort: readonly SortKey[], a: Keys, b: Keys): number {
  for (let index = 0; index < a.length; index++) {
    const [left, right] = [a[index] ?? null, b[index] ?? null];
    if (left === right) continue;
    if (left === null) return 1;
    if (right === null) return -1;
    const ascending = left < right ? -1 : 1;
    return sort[index]?.descending ? -ascending : ascending;
  }
  return 0;
}
