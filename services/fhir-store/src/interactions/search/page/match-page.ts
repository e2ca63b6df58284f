import type { SortKey } from '@tributary/fhir-search';
import type { Cursor, Direction } from '@tributary/record-storage';
import { z } from 'zod';
import type { SearchMatch } from '../evaluate/search-match';

/**
 * The position after which a page begins: a cursor of the storage, or the sort keys of the last resource when the page
 * is sorted in process.
 */
export type PagePosition = { readonly store: Cursor } | { readonly sorted: readonly (string | number | null)[] };

/** The schema of a position in a paging link. */
export const pagePosition = z.union([
  z.object({ store: z.array(z.string().nullable()).readonly() }),
  z.object({ sorted: z.array(z.union([z.string(), z.number()]).nullable()).readonly() }),
]);

export interface MatchPage {
  /** In the order of the search, whatever the direction of reading. */
  readonly matches: readonly SearchMatch[];
  /** The position of each match. */
  readonly positions: readonly PagePosition[];
  /** The position from which reading continues in its direction; undefined when no further match is known. */
  readonly next: PagePosition | undefined;
  readonly total: number | undefined;
}

/** Which page of the matches of a search is requested. */
export interface PageRequest {
  readonly sort: readonly SortKey[];
  readonly count: number;
  /** A page with a single resource may exceed it. */
  readonly maxBytes: number;
  /** `backward`: the page that ends before the position `after`, or at the end of the matches without one. */
  readonly direction: Direction;
  readonly after: PagePosition | undefined;
  /** Whether to count all that match. */
  readonly total: boolean;
}

/** A page with the matches of a page that are read first. */
export function shortened(page: MatchPage, length: number, direction: Direction): MatchPage {
  const [from, to] = direction === 'forward' ? [0, length] : [page.matches.length - length, page.matches.length];
  const positions = page.positions.slice(from, to);
  return {
    ...page,
    matches: page.matches.slice(from, to),
    positions,
    next: positions.at(direction === 'forward' ? -1 : 0),
  };
}
