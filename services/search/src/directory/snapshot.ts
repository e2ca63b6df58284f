import type { HealthSystem, HealthSystemEntry } from '@tributary/contracts';
import type { Pool } from 'pg';
import { IndexBuilder } from '../ranking/build-index';
import { tiers } from '../ranking/scorer';
import type { SearchIndex } from '../ranking/search-index';
import { offeredReleases } from './directory-entry';
import { readDirectory } from './read-directory';

type SnapshotEntry = HealthSystem & Pick<HealthSystemEntry, 'fhirVersions' | 'connectable' | 'logo'>;

/** An immutable copy of the directory in memory, with its search index. */
export class Snapshot {
  private constructor(
    readonly version: number,
    private readonly index: SearchIndex,
    /** In the order of their names; the index is the document number of the search index. */
    private readonly entries: readonly SnapshotEntry[],
    private readonly numberById: ReadonlyMap<number, number>,
  ) {}

  static async read(pool: Pool): Promise<Snapshot> {
    const builder = new IndexBuilder();
    const entries: SnapshotEntry[] = [];
    const numberById = new Map<number, number>();
    const values = new ValuePool();
    const version = await readDirectory(
      pool,
      async ({ id, name, address, endpoints, logo, aliases, addresses, parents, portals, connectable, alive }) => {
        await builder.add(
          { name, aliases, addresses, affiliations: [...parents, ...portals] },
          tierOf({ connectable, alive }),
        );
        numberById.set(id, entries.length);
        const shared = values.intern(endpoints);
        entries.push({
          id,
          name,
          address,
          endpoints: shared,
          fhirVersions: values.intern(offeredReleases(shared)),
          connectable,
          ...(logo === undefined ? {} : { logo: values.intern(logo) }),
        });
      },
    );
    return new Snapshot(version, await builder.finish(), entries, numberById);
  }

  get size(): number {
    return this.entries.length;
  }

  /** @param connectableOnly leaves out health systems at which our client is not registered */
  search(
    query: string | undefined,
    offset: number,
    limit: number,
    connectableOnly = false,
  ): { total: number; entry: HealthSystemEntry[] } {
    const { total, page } = this.index.search(query, offset, limit, connectableOnly ? connectableTiers : tiers);
    return {
      total,
      entry: page.map((number) => {
        const { id, name, address, fhirVersions, connectable, logo } = this.entries[number]!;
        return { id, name, address, fhirVersions, connectable, ...(logo === undefined ? {} : { logo }) };
      }),
    };
  }

  find(id: number): HealthSystem | undefined {
    const number = this.numberById.get(id);
    if (number === undefined) return undefined;
    const { name, address, endpoints } = this.entries[number]!;
    return { id, name, address, endpoints };
  }
}

/** Search results are in the order of these tiers, and by score within each of them. */
function tierOf({ connectable, alive }: { connectable: boolean; alive: boolean }): number {
  return (connectable ? 0 : connectableTiers) + (alive ? 0 : 1);
}
const connectableTiers = 2;

/**
 * Returns the same object for equal values, to save memory: thousands of entries have equal endpoints, releases and
 * logos.
 */
class ValuePool {
  readonly #values = new Map<string, unknown>();

  intern<T>(value: T): T {
    const key = typeof value === 'string' ? value : JSON.stringify(value);
    const known = this.#values.get(key);
    if (known !== undefined) return known as T;
    this.#values.set(key, value);
    return value;
  }
}
