import type { SortKey } from '@tributary/fhir-search';
import type { RecordReader } from '@tributary/record-storage';
import type { Filter } from './search-filter';
import type { PageRequest } from './page-request';
import { SearchMatch, type MatchPage } from './search-match';
import { pageBytes } from './page-limit';
import { matching } from './evaluate-search';

type Keys = readonly (string | number | null)[];

interface SortedMatch {
  readonly keys: Keys;
  readonly found: SearchMatch;
}

/**
 * A page in an order that needs the content, such as the order of names. It reads all matches and keeps those of the
 * page. The position of a page is the sort keys of the last resource before it, so inserts do not shift pages.
 */
export async function sortedPage(
  record: RecordReader,
  filter: Filter,
  { sort, count, after }: PageRequest,
): Promise<MatchPage> {
  const from = after && 'sorted' in after ? after.sorted : undefined;
  const kept: SortedMatch[] = [];
  let bytes = 0;
  let isFull = false;
  let total = 0;
  for await (const found of matching(record, filter)) {
    total++;
    const keys = keysOf(sort, found);
    if (from && compare(sort, keys, from) <= 0) continue;
    const last = kept.at(-1);
    if (isFull && last && compare(sort, keys, last.keys) >= 0) continue;
    // The new match does not retain the parsed resource.
    kept.splice(insertionIndex(sort, kept, keys), 0, {
      keys,
      found: new SearchMatch(found.typeCode, found.id, found.json),
    });
    bytes += found.json.length;
    while (kept.length > 1 && (kept.length > count || bytes > pageBytes)) {
      bytes -= kept.pop()?.found.json.length ?? 0;
      isFull = true;
    }
  }
  const positions = kept.map(({ keys }) => ({ sorted: keys }));
  return { matches: kept.map(({ found }) => found), positions, next: isFull ? positions.at(-1) : undefined, total };
}

function insertionIndex(sort: readonly SortKey[], kept: readonly SortedMatch[], keys: Keys): number {
  let low = 0;
  let high = kept.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(sort, (kept[middle] as SortedMatch).keys, keys) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The sort keys of a resource, with type code and id to make the order total. */
function keysOf(sort: readonly SortKey[], found: SearchMatch): Keys {
  return [...sort.map((key) => key.valueOf(found.resource) ?? null), found.typeCode, found.id];
}

/** Resources without a key are last in both directions. */
function compare(sort: readonly SortKey[], a: Keys, b: Keys): number {
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
