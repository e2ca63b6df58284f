import { searchParameters } from '@tributary/fhir-definitions';
import type { SortKey } from '@tributary/fhir-search';
import {
  type Order,
  type RecordReader,
  type TypeCode,
  releaseOfCode,
  typeOfCode,
  wholeLength,
} from '@tributary/record-storage';
import { matching } from '../evaluate/evaluate-search';
import { readChunks, typeCodesWithMatches } from '../evaluate/read-chunks';
import type { Filter } from '../evaluate/search-filter';
import { SearchMatch } from '../evaluate/search-match';
import type { MatchPage, PagePosition, PageRequest } from './match-page';
import { PageLimit } from './page-limit';
import { sortedPage } from './page-sorted-in-process';

/** The number of candidates in the first chunk when matches are decided on content. */
const firstCandidates = 200;

/** One page of the matches of a filter. It has at most `count` resources and at most `maxBytes`. */
export async function findPage(record: RecordReader, filter: Filter, request: PageRequest): Promise<MatchPage> {
  if (filter.typeCodes.length === 0) return { matches: [], positions: [], next: undefined, total: 0 };
  const order = orderOf(filter, request);
  return order ? pageInOrder(record, filter, order, request) : sortedPage(record, filter, request);
}

/**
 * The order for the query of the storage, or undefined when sorting needs the content. Range values of outdated index
 * rows are not used for sorting. A following page keeps the order of the first page, even when the index has become
 * current.
 */
function orderOf({ typeCodes, isIndexCurrent }: Filter, { sort, after }: PageRequest): readonly Order[] | undefined {
  if (after) return 'store' in after ? indexOrder(typeCodes, sort) : undefined;
  const order = indexOrder(typeCodes, sort);
  return isIndexCurrent || !order?.some(({ by }) => by === 'range') ? order : undefined;
}

/**
 * A page in an order of the storage. When the index decides all criteria, the page usually takes one round trip.
 * Otherwise candidates are read and decided on content until the page is full and one further match is known, or to the
 * end of the candidates when the matches are counted.
 */
async function pageInOrder(
  record: RecordReader,
  filter: Filter,
  order: readonly Order[],
  { count, maxBytes, direction, after, total }: PageRequest,
): Promise<MatchPage> {
  const { where, matches: decide } = filter;
  const typeCodes = await typeCodesWithMatches(record, filter.typeCodes, where);
  const query = { typeCodes, where, order, direction, total: total && !decide, ...storeCursor(after) };
  const limit = new PageLimit(count, maxBytes);
  const matches: SearchMatch[] = [];
  const positions: PagePosition[] = [];
  let isFull = false;
  let counted = 0;
  for await (const { matches: candidates, next, total: matchCount = 0 } of readChunks(
    record,
    query,
    decide ? firstCandidates : count,
  )) {
    counted += matchCount;
    for (const { typeCode, id, json, cursor } of candidates) {
      const found = new SearchMatch(typeCode, id, json);
      if (decide) {
        if (!decide(found)) continue;
        counted++;
      }
      isFull ||= !limit.takes(wholeLength(json));
      if (isFull && total && decide) continue;
      if (isFull) break;
      matches.push(found);
      positions.push({ store: cursor });
    }
    // A cursor proves that another match follows only when the storage decides all criteria.
    isFull ||= !decide && matches.length === count && next !== undefined;
    if (isFull && !(total && decide)) break;
  }
  const next = isFull ? positions.at(-1) : undefined;
  if (direction === 'backward') {
    matches.reverse();
    positions.reverse();
  }
  return { matches, positions, next, total: total ? counted : undefined };
}

/** The number of resources that pass the filter. */
export async function countMatching(record: RecordReader, filter: Filter): Promise<number> {
  if (filter.typeCodes.length === 0) return 0;
  if (!filter.matches) return record.search.count(filter.typeCodes, filter.where);
  let total = 0;
  for await (const _found of matching(record, filter)) total++;
  return total;
}

function storeCursor(after: PagePosition | undefined): { after?: Extract<PagePosition, { store: unknown }>['store'] } {
  return after && 'store' in after ? { after: after.store } : {};
}

/** The order for the query of the storage, or undefined when a sort key needs the content. */
function indexOrder(typeCodes: readonly TypeCode[], sort: readonly SortKey[]): Order[] | undefined {
  const order: Order[] = [];
  for (const { by, parameter, descending } of sort) {
    if (by.kind === 'value') return undefined;
    if (by.kind === 'range')
      order.push({
        by: 'range',
        kind: by.rangeKind,
        name: by.name,
        repeats: typeCodes.some((typeCode) => mayRepeat(typeCode, parameter)),
        descending,
      });
    else order.push({ by: by.kind, descending });
  }
  return order;
}

/** Whether a resource may have several values for a search parameter. The query for a single value is faster. */
function mayRepeat(typeCode: TypeCode, parameter: string): boolean {
  const paths = searchParameters(releaseOfCode(typeCode), typeOfCode(typeCode)).get(parameter)?.paths ?? [];
  return paths.some(({ steps }) => steps.some(({ repeats, index }) => repeats && index === undefined));
}
