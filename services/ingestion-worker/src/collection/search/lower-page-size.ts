import type { CollectionCheckpoint } from '../../checkpoints/checkpoint';
import { parseSearch, searchUrl } from '../plan/search-url';

/** The values of `_count` that follow after time-outs: some systems take minutes for a large page. */
const pageSizes = [100, 50, 25];

/**
 * Lowers `_count` of the searches of a type that are left, after a page was too slow or too large. A search in progress
 * starts again: in some systems the position of its next page depends on `_count`.
 * @returns false when no search has a larger `_count`: nothing is changed
 */
export function lowerPageSize({ search, progress }: CollectionCheckpoint): boolean {
  const postponed = search.postponed ?? [];
  const largest = Math.max(...[...search.remaining, ...postponed.map((each) => each.search)].map(pageSizeOf), 0);
  const size = pageSizes.find((each) => each < largest);
  if (size === undefined) return false;
  const withSize = (url: string): string => (pageSizeOf(url) > size ? withPageSize(url, size) : url);
  search.remaining = search.remaining.map(withSize);
  if (search.refused) search.refused.searches = search.refused.searches.map(withSize);
  if (search.page !== undefined) Object.assign(progress, search.countsAtStart);
  delete search.page;
  for (const { page, counts } of postponed) {
    if (page === undefined) continue;
    for (const name of ['fetched', 'stored', 'unchanged', 'failed'] as const) progress[name] -= counts[name];
  }
  if (postponed.length > 0) {
    const nothing = { fetched: 0, stored: 0, unchanged: 0, failed: 0 };
    search.postponed = postponed.map((each) => ({ search: withSize(each.search), counts: nothing }));
  }
  search.loweredPageSize = size;
  return true;
}

function pageSizeOf(url: string): number {
  return Number(parseSearch(url).parameters.get('_count') ?? 0);
}

function withPageSize(url: string, size: number): string {
  const { type, parameters } = parseSearch(url);
  parameters.set('_count', String(size));
  return searchUrl({ type, parameters });
}
