import type { HealthSystem, HealthSystemEntry } from '@tributary/contracts';
import type { Pool } from 'pg';
import { IndexBuilder } from '../ranking/build-index';
import type { SearchIndex } from '../ranking/search-index';
import { offeredReleases } from './offered-releases';
import { readDirectory } from './read-directory';

type Kept = HealthSystem & Pick<HealthSystemEntry, 'fhirVersions' | 'logo'>;

/** The whole directory as it was at one moment, in memory. */
export class Snapshot {
  private constructor(
    readonly version: number,
    private readonly index: SearchIndex,
    /** In the order of their names, as the index numbers them. */
    private readonly entries: readonly Kept[],
    private readonly numberOf: ReadonlyMap<number, number>,
  ) {}

  static async read(pool: Pool): Promise<Snapshot> {
    const builder = new IndexBuilder();
    const entries: Kept[] = [];
    const numberOf = new Map<number, number>();
    const shared = new ValuePool();
    const version = await readDirectory(
      pool,
      async ({ id, name, address, endpoints, logo, aliases, addresses, parents, portals }) => {
        await builder.add({ name, aliases, addresses, affiliations: [...parents, ...portals] });
        numberOf.set(id, entries.length);
        const kept = shared.value(endpoints);
        entries.push({
          id,
          name,
          address,
          endpoints: kept,
          fhirVersions: shared.value(offeredReleases(kept)),
          ...(logo === undefined ? {} : { logo: shared.value(logo) }),
        });
      },
    );
    return new Snapshot(version, await builder.finish(), entries, numberOf);
  }

  get size(): number {
    return this.entries.length;
  }

  search(query: string | undefined, offset: number, limit: number): { total: number; entry: HealthSystemEntry[] } {
    const { total, page } = this.index.search(query, offset, limit);
    return {
      total,
      entry: page.map((number) => {
        const { id, name, address, fhirVersions, logo } = this.entries[number]!;
        return { id, name, address, fhirVersions, ...(logo === undefined ? {} : { logo }) };
      }),
    };
  }

  find(id: number): HealthSystem | undefined {
    const number = this.numberOf.get(id);
    if (number === undefined) return undefined;
    const { name, address, endpoints } = this.entries[number]!;
    return { id, name, address, endpoints };
  }
}

/** Keeps one of equal values: thousands of entries have the same endpoints, releases and logos. */
class ValuePool {
  readonly #values = new Map<string, unknown>();

  value<T>(value: T): T {
    const key = typeof value === 'string' ? value : JSON.stringify(value);
    const known = this.#values.get(key);
    if (known !== undefined) return known as T;
    this.#values.set(key, value);
    return value;
  }
}
