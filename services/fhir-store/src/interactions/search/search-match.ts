import type { Resource } from '@tributary/fhir-json';
import type { Cursor, TypeCode } from '@tributary/record-storage';
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
  readonly matches: readonly SearchMatch[];
  /** The position of each match. */
  readonly positions: readonly PagePosition[];
  /** The position of the next page; undefined on the last page. */
  readonly next: PagePosition | undefined;
  readonly total: number | undefined;
}

/** A page with the first matches of a page. */
export function shortened(page: MatchPage, length: number): MatchPage {
  return {
    ...page,
    matches: page.matches.slice(0, length),
    positions: page.positions.slice(0, length),
    next: page.positions[length - 1],
  };
}
