import type { SortKey } from '@tributary/fhir-search';
import type { Direction } from '@tributary/record-storage';
import type { PagePosition } from './search-match';

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
