import type { SortKey } from '@tributary/fhir-search';
import type { PagePosition } from './search-match';

/** Which page of the matches of a search is requested. */
export interface PageRequest {
  readonly sort: readonly SortKey[];
  readonly count: number;
  readonly after: PagePosition | undefined;
  /** Whether to count all that match. */
  readonly total: boolean;
}
