import type { SortKey } from '@tributary/fhir-search';
import type { Order, UserRecord } from '@tributary/record-storage';
import { type Filter } from './criteria';
import { Found, type FoundPage, type SearchPlace } from './found';
import { matching } from './resolve-links';
import { sortedPage } from './sorted-page';
import { storeOrder } from './store-order';

export interface PageRequest {
  readonly sort: readonly SortKey[];
  readonly count: number;
  readonly after: SearchPlace | undefined;
  /** Whether to count all that match. */
  readonly total: boolean;
}

/** One page of what passes the filter, in order. */
export async function findPage(record: UserRecord, filter: Filter, request: PageRequest): Promise<FoundPage> {
  if (filter.kinds.length === 0) return { matches: [], next: undefined, total: 0 };
  const order = storeOrder(filter.kinds, request.sort);
  if (!order) return sortedPage(record, filter, request);
  return filter.matches ? filteredPage(record, filter, order, request) : storedPage(record, filter, order, request);
}

/** The store decides alone, in one round trip. */
async function storedPage(record: UserRecord, { kinds, where }: Filter, order: readonly Order[], { count, after, total }: PageRequest): Promise<FoundPage> {
  const page = await record.search({ kinds, where, order, limit: count, total, ...storeCursor(after) });
  return {
    matches: page.entries.map(({ kind, id, line }) => new Found(kind, id, line)),
    next: page.next && { store: page.next },
    total: page.total,
  };
}

/** The store leaves candidates; their content decides. Candidates are read until the page is full and one more is known. */
async function filteredPage(record: UserRecord, filter: Filter, order: readonly Order[], { count, after, total }: PageRequest): Promise<FoundPage> {
  const { kinds, where } = filter;
  const matches: Found[] = [];
  let last: SearchPlace | undefined;
  let next: SearchPlace | undefined;
  for await (const chunk of record.scan({ kinds, where, order, ...storeCursor(after) })) {
    for (const { kind, id, line, cursor } of chunk) {
      const found = new Found(kind, id, line);
      if (!filter.matches?.(found)) continue;
      if (matches.length === count) {
        next = last;
        break;
      }
      matches.push(found);
      last = { store: cursor };
    }
    if (next) break;
  }
  return { matches, next, total: total ? await countMatching(record, filter) : undefined };
}

/** How many pass the filter. */
export async function countMatching(record: UserRecord, filter: Filter): Promise<number> {
  if (filter.kinds.length === 0) return 0;
  if (!filter.matches) return record.count(filter.kinds, filter.where);
  let total = 0;
  for await (const _found of matching(record, filter)) total++;
  return total;
}

function storeCursor(after: SearchPlace | undefined): { after?: Extract<SearchPlace, { store: unknown }>['store'] } {
  return after && 'store' in after ? { after: after.store } : {};
}
