import type { Condition, SortKey } from '@tributary/fhir-search';
import type { RecordReader } from '@tributary/record-storage';
import { z } from 'zod';
import type { Filter } from './search-filter';
import type { MatchPage, PagePosition } from './search-match';

/** newest: when the newest match of the first page was written, epoch milliseconds. isSweep: the pages in order are over. */
export const sweepState = z.object({ newest: z.number(), isSweep: z.boolean() });
type SweepState = z.infer<typeof sweepState>;

/** Candidates that are read to find out whether a resource was updated since the first page. */
const someUpdates = 100;

/**
 * Keeps updates from being lost where the newest come first: a resource that is updated between two pages moves before the place where the next page begins. So once all pages have been shown, what
 * was updated since the first one follows, the oldest update first. A resource that was shown before its update comes twice; others come once.
 */
export class UpdateSweep {
  constructor(
    private readonly asked: readonly SortKey[],
    private readonly state: SweepState | undefined,
  ) {}

  get sort(): readonly SortKey[] {
    const [first] = this.asked;
    return this.state?.isSweep && first ? [{ ...first, descending: false }] : this.asked;
  }

  /** What the page is made of. */
  filter(filter: Filter): Filter {
    if (!this.state?.isSweep) return filter;
    const { where, matches } = filter;
    const isUpdate = (versionId: unknown): boolean => versionId !== '1';
    return {
      ...filter,
      where: since(where, this.state.newest),
      matches: (found) => isUpdate(found.resource.meta?.versionId) && (matches?.(found) ?? true),
    };
  }

  /** Where the page after this one begins, in the order or among the updates; undefined when this is the last. */
  async next(
    record: RecordReader,
    filter: Filter,
    page: MatchPage,
  ): Promise<{ after?: PagePosition; updated?: SweepState } | undefined> {
    const updated = this.state ?? this.begin(page);
    if (page.next) return { after: page.next, ...(updated ? { updated } : {}) };
    if (!this.state || this.state.isSweep || filter.typeCodes.length === 0) return undefined;
    const { matches: candidates } = await record.searchKeys({
      typeCodes: filter.typeCodes,
      where: since(filter.where, this.state.newest),
      limit: someUpdates,
    });
    const isAny = candidates.length === someUpdates || candidates.some(({ version }) => version > 1);
    return isAny ? { updated: { ...this.state, isSweep: true } } : undefined;
  }

  /** The state of the first page, whose first place tells the time of its first match. */
  private begin({ positions }: MatchPage): SweepState | undefined {
    const [first] = this.asked;
    const [newest] = positions;
    if (first?.by.kind !== 'last-updated' || !first.descending || !newest || !('store' in newest)) return undefined;
    return { newest: Number(newest.store[0]), isSweep: false };
  }
}

function since(where: Condition, newest: number): Condition {
  return { op: 'and', of: [where, { op: 'last-updated', gt: newest }] };
}
