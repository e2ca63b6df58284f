import type { Resource } from '@tributary/fhir-json';
import type { Cursor, Direction, TypeCode } from '@tributary/record-storage';
import { z } from 'zod';
import { parseResource } from '../../resources/resource-content';

/** A stored resource that matches a search. Its JSON is parsed when `resource` is first read. */
export class SearchMatch {
  #resource: Resource | undefined;

  constructor(
    readonly typeCode: TypeCode,
    readonly id: string,
    readonly json: Buffer,
  ) {}

  get resource(): Resource {
    return (this.#resource ??= parseResource(this.json));
  }
}

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
