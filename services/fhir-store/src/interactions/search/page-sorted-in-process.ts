import type { SortKey } from '@tributary/fhir-search';
import type { RecordReader } from '@tributary/record-storage';
import type { Filter } from './search-filter';
import type { PageRequest } from './page-request';
import { SearchMatch, type MatchPage } from './search-match';
import { pageBytes } from './page-limit';
import { matching } from './matching';

type Keys = readonly (string | number | null)[];

interface SortedMatch {
  readonly keys: Keys;
  readonly found: SearchMatch;
}

/**
 * A page of an order that only the content knows, such as names: every match is looked at, the page's own are kept. The place of a
 * page is the keys of the last resource before it, so that inserts move nothing.
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
    // Without what was parsed of it for its keys.
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

/** The sort keys of a resource, and its kind and id, which make its place its own. */
function keysOf(sort: readonly SortKey[], found: SearchMatch): Keys {
  return [...sort.map((key) => key.valueOf(found.resource) ?? null), found.typeCode, found.id];
}

/** Resources without a key come last, whichever the direction. */
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
