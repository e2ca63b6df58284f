import type { Condition, SortKey } from '@tributary/fhir-search';
import type { Direction, RecordReader } from '@tributary/record-storage';
import { z } from 'zod';
import type { Filter } from '../evaluate/search-filter';
import { type MatchPage, pagePosition } from './match-page';

/**
 * newest: lastUpdated of the newest match on the first page, epoch milliseconds. isCatchUp: the page belongs to the
 * updates after the ordered pages.
 */
const catchUpState = z.object({ newest: z.number(), isCatchUp: z.boolean() });
type CatchUpState = z.infer<typeof catchUpState>;

/**
 * Which page of a search a paging link leads to. `back`: the page that ends before `after`, or the last page without
 * it.
 */
export const pageLocation = z.object({
  after: pagePosition.optional(),
  back: z.boolean().optional(),
  updated: catchUpState.optional(),
});
export type PageLocation = z.infer<typeof pageLocation>;

/** The limit of keys that are read to detect an update after the first page. */
const someUpdates = 100;

/**
 * Prevents lost updates when the newest resources are first. A resource that is updated between two pages moves before
 * the position of the next page. So after the last ordered page, further pages contain the resources that were updated
 * after the first page, the oldest update first. A resource that was returned before its update is returned twice,
 * others once.
 */
export class CatchUpPaging {
  private readonly state: CatchUpState | undefined;

  constructor(
    private readonly requestedSort: readonly SortKey[],
    private readonly location: PageLocation,
  ) {
    this.state = location.updated;
  }

  get direction(): Direction {
    return this.location.back ? 'backward' : 'forward';
  }

  get sort(): readonly SortKey[] {
    const [first] = this.requestedSort;
    return this.state?.isCatchUp && first ? [{ ...first, descending: false }] : this.requestedSort;
  }

  /** The filter of the page: that of the search, limited to updates in a paging. */
  filter(filter: Filter): Filter {
    if (!this.state?.isCatchUp) return filter;
    const { where, matches } = filter;
    const isUpdate = (versionId: unknown): boolean => versionId !== '1';
    return {
      ...filter,
      where: since(where, this.state.newest),
      matches: (found) => isUpdate(found.resource.meta?.versionId) && (matches?.(found) ?? true),
    };
  }

  /** The next page, in the order or among the updates; undefined on the last page. */
  async next(record: RecordReader, filter: Filter, page: MatchPage): Promise<PageLocation | undefined> {
    const updated = this.state ?? this.begin(page);
    // The page from which a client went back follows, even if it is empty by now.
    const after = this.location.back ? page.positions.at(-1) : page.next;
    if (after) return { after, ...(updated ? { updated } : {}) };
    if (!this.state || this.state.isCatchUp || filter.typeCodes.length === 0) return undefined;
    const { matches: candidates } = await record.search.keysPage({
      typeCodes: filter.typeCodes,
      where: since(filter.where, this.state.newest),
      limit: someUpdates,
    });
    const isAny = candidates.length === someUpdates || candidates.some(({ version }) => version > 1);
    return isAny ? { updated: { ...this.state, isCatchUp: true } } : undefined;
  }

  /**
   * The previous page; undefined on the first page. Resources that were created since before the matches of this page
   * are on it.
   */
  previous({ positions, next }: MatchPage): PageLocation | undefined {
    const { after, back } = this.location;
    if (!(back ? next : after)) return this.state?.isCatchUp ? this.beforeFirst() : undefined;
    const [first] = positions;
    return { back: true, ...(first ? { after: first } : {}), ...(this.state ? { updated: this.state } : {}) };
  }

  /**
   * The page to show instead of a previous page whose resources have been deleted: the first page, or the last ordered
   * page before the updates.
   */
  beforeFirst(): PageLocation {
    if (!this.state) return {};
    return { updated: { ...this.state, isCatchUp: false }, ...(this.state.isCatchUp ? { back: true } : {}) };
  }

  /** The initial state. The position of the first match contains its lastUpdated. */
  private begin({ positions }: MatchPage): CatchUpState | undefined {
    const [first] = this.requestedSort;
    const [newest] = positions;
    if (first?.by.kind !== 'last-updated' || !first.descending || !newest || !('store' in newest)) return undefined;
    return { newest: Number(newest.store[0]), isCatchUp: false };
  }
}

function since(where: Condition, newest: number): Condition {
  return { op: 'and', of: [where, { op: 'last-updated', gt: newest }] };
}
