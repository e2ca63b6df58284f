import { INDEX_VERSION } from '@tributary/fhir-search';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { RecordKeys } from '../../keys/record-keys';
import { type Queryable, run } from '../../postgres/statement';
import type { TypeCode } from '../../type-codes';
import { LiveIndex, MAX_VALUES } from './live-index';
import { countResources } from './live-statements';

/** A type code with fewer resources in a record is searched by SQL, which reads them all. */
const MIN_RESOURCES = 1000;
/** The maximum number of resources that are counted. */
const MAX_RESOURCES = 150_000;
/** The bytes of an index value in the database. In memory it takes about 16, with its share of the row. */
const VALUE_BYTES = 8;
/** How long an index is used, in milliseconds. Retired blocks must stay for longer. */
const LIFETIME_MS = 600_000;
/** A type code that is searched again within this time, in milliseconds, is counted. */
const SEARCHED_MS = 60_000;
const MAX_SEARCHED = 10_000;

/**
 * The indexes in memory of the large type codes of records that are searched repeatedly. The second search within a
 * minute loads the index, which later searches use.
 */
export class MemoryIndexes {
  private readonly indexes = new LRUCache<string, LiveIndex>({
    maxSize: MAX_VALUES,
    sizeCalculation: ({ rows }) => Math.max(rows.values, 1),
    ttl: LIFETIME_MS,
    // An index contains the keys of the record, which must not stay in memory.
    ttlAutopurge: true,
  });
  /** The type codes that were searched, and whether they have been counted. */
  private readonly searched = new LRUCache<string, { isCounted: boolean }>({ max: MAX_SEARCHED, ttl: SEARCHED_MS });
  private readonly closing = new AbortController();
  private loading: Promise<void> | undefined;

  /**
   * @param reads executes single statements
   * @param minResources default 1,000
   */
  constructor(
    private readonly pool: Pool,
    private readonly reads: Queryable,
    private readonly minResources = MIN_RESOURCES,
  ) {}

  /** The index of a type code of a record; undefined if it is not in memory, or not yet. */
  find(keys: RecordKeys, typeCode: TypeCode): LiveIndex | undefined {
    if (keys.indexVersion !== INDEX_VERSION) return undefined;
    const name = `${keys.userId}/${typeCode}`;
    const index = this.indexes.get(name);
    if (index && !index.isDropped) return index;
    this.indexes.delete(name);
    const searched = this.searched.get(name);
    if (!searched) this.searched.set(name, { isCounted: false });
    else if (!searched.isCounted && !this.loading && !this.closing.signal.aborted) {
      searched.isCounted = true;
      this.loading = this.load(name, keys, typeCode).finally(() => (this.loading = undefined));
    }
    return undefined;
  }

  /** Removes the indexes of a destroyed record. */
  forget(userId: number): void {
    for (const name of this.indexes.keys()) if (name.startsWith(`${userId}/`)) this.indexes.delete(name);
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.loading;
  }

  private async load(name: string, keys: RecordKeys, typeCode: TypeCode): Promise<void> {
    try {
      const [row] = await run(this.pool, countResources, [keys.userId, typeCode, MAX_RESOURCES + 1]);
      const [resources, bytes] = [row?.[0] as number, Number(row?.[1])];
      if (resources < this.minResources || resources > MAX_RESOURCES || bytes > MAX_VALUES * VALUE_BYTES) return;
      const live = await LiveIndex.load(this.pool, this.reads, keys, typeCode, this.closing.signal);
      await live.catchUp();
      // The record has been destroyed meanwhile, or it changes too fast for an index.
      if (live.isDropped) return;
      this.indexes.set(name, live);
      // When the index is dropped, the second search after that loads it again.
      this.searched.delete(name);
    } catch {
      // Searches go on by SQL, whose errors have callers. A later search tries again.
    }
  }
}
