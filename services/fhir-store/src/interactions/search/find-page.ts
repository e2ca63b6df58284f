import type { Order, RecordReader } from '@tributary/record-storage';
import { type Filter } from './search-filter';
import { SearchMatch, type MatchPage, type PagePosition } from './search-match';
import type { PageRequest } from './page-request';
import { PageLimit } from './page-limit';
import { typeCodesWithMatches, readChunks } from './read-chunks';
import { matching } from './matching';
import { sortedPage } from './page-sorted-in-process';
import { indexOrder } from './index-order';

/** Candidates that are read first when their content decides. */
const firstCandidates = 200;

/** One page of what passes the filter, in order: as many as asked for, or as much as a page holds. */
export async function findPage(record: RecordReader, filter: Filter, request: PageRequest): Promise<MatchPage> {
  if (filter.typeCodes.length === 0) return { matches: [], positions: [], next: undefined, total: 0 };
  const order = orderOf(filter, request);
  return order ? pageInOrder(record, filter, order, request) : sortedPage(record, filter, request);
}

/**
 * The order as the store can make it, or undefined where the content is needed, also for ranges that other index rules made. A page that goes on from another takes the
 * order of that one, although the index may be current meanwhile.
 */
function orderOf({ typeCodes, isIndexCurrent }: Filter, { sort, after }: PageRequest): readonly Order[] | undefined {
  if (after) return 'store' in after ? indexOrder(typeCodes, sort) : undefined;
  const order = indexOrder(typeCodes, sort);
  return isIndexCurrent || !order?.some(({ by }) => by === 'range') ? order : undefined;
}

/**
 * A page in an order of the store's. When the store decides alone, it is mostly read in one round trip; otherwise the store leaves
 * candidates whose content decides, and they are read until the page is full and one more is known.
 */
async function pageInOrder(
  record: RecordReader,
  filter: Filter,
  order: readonly Order[],
  { count, after, total }: PageRequest,
): Promise<MatchPage> {
  const { where, matches: decide } = filter;
  const typeCodes = await typeCodesWithMatches(record, filter.typeCodes, where);
  const query = { typeCodes, where, order, total: total && !decide, ...storeCursor(after) };
  const limit = new PageLimit(count);
  const matches: SearchMatch[] = [];
  const positions: PagePosition[] = [];
  let isFull = false;
  let counted: number | undefined;
  for await (const { matches: candidates, next, total: told } of readChunks(
    record,
    query,
    decide ? firstCandidates : count,
  )) {
    counted ??= told;
    for (const { typeCode, id, json, cursor } of candidates) {
      const found = new SearchMatch(typeCode, id, json);
      if (decide && !decide(found)) continue;
      isFull = !limit.takes(json.length);
      if (isFull) break;
      matches.push(found);
      positions.push({ store: cursor });
    }
    // The store knows that another match follows; of candidates it does not.
    isFull ||= !decide && matches.length === count && next !== undefined;
    if (isFull) break;
  }
  return {
    matches,
    positions,
    next: isFull ? positions.at(-1) : undefined,
    total: total ? (counted ?? (await countMatching(record, filter))) : undefined,
  };
}

/** How many pass the filter. */
export async function countMatching(record: RecordReader, filter: Filter): Promise<number> {
  if (filter.typeCodes.length === 0) return 0;
  if (!filter.matches) return record.count(filter.typeCodes, filter.where);
  let total = 0;
  for await (const _found of matching(record, filter)) total++;
  return total;
}

function storeCursor(after: PagePosition | undefined): { after?: Extract<PagePosition, { store: unknown }>['store'] } {
  return after && 'store' in after ? { after: after.store } : {};
}
