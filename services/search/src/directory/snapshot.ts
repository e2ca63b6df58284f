import type { ClientMode, HealthSystem, HealthSystemEntry, Position } from '@tributary/contracts';
import type { Pool } from 'pg';
import { IndexBuilder } from '../ranking/build-index';
import { tiers } from '../ranking/scorer';
import type { SearchIndex } from '../ranking/search-index';
import { offeredReleases } from './directory-entry';
import { type StoredEntry, readDirectory } from './read-directory';

type SnapshotEntry = HealthSystem & Pick<HealthSystemEntry, 'fhirVersions' | 'connectable' | 'logo'>;

export interface SearchOptions {
  /** Leaves out health systems at which our client is not registered. */
  connectableOnly?: boolean;
  /** Where the user is. */
  near?: Position | undefined;
}

/** The health systems of one mode, with their search index. */
interface Part {
  index: SearchIndex;
  /** In the order of their names; the position is the document number of the search index. */
  entries: readonly SnapshotEntry[];
}

/**
 * An immutable copy of the directory in memory. Health systems of the two modes have a search index each: neither the
 * results nor the ranking of one mode depend on the other.
 */
export class Snapshot {
  private constructor(
    readonly version: number,
    private readonly parts: Readonly<Record<ClientMode, Part>>,
    private readonly byId: ReadonlyMap<number, SnapshotEntry>,
    /** Why entries could not be indexed, by their ids. No search finds them. */
    readonly failures: ReadonlyMap<number, unknown>,
  ) {}

  static async read(pool: Pool): Promise<Snapshot> {
    const building = { test: new PartBuilder(), live: new PartBuilder() };
    const byId = new Map<number, SnapshotEntry>();
    const failures = new Map<number, unknown>();
    const values = new ValuePool();
    const onEntry = async (entry: StoredEntry): Promise<void> => {
      const { id, mode, name, address, endpoints, logo, connectable } = entry;
      const shared = values.intern(endpoints);
      const kept = {
        id,
        name,
        address,
        mode,
        endpoints: shared,
        fhirVersions: values.intern(offeredReleases(shared)),
        connectable,
        ...(logo === undefined ? {} : { logo: values.intern(logo) }),
      };
      // Users who are connected need an entry by its id, also when it cannot be indexed.
      byId.set(id, kept);
      await building[mode].add(entry, kept);
    };
    const version = await readDirectory(pool, onEntry, (id, error) => failures.set(id, error));
    const parts = { test: await building.test.finish(), live: await building.live.finish() };
    return new Snapshot(version, parts, byId, failures);
  }

  get size(): number {
    return this.byId.size;
  }

  search(
    mode: ClientMode,
    query: string | undefined,
    offset: number,
    limit: number,
    { connectableOnly = false, near }: SearchOptions = {},
  ): { total: number; entry: HealthSystemEntry[] } {
    const { index, entries } = this.parts[mode];
    const { total, page } = index.search(query, offset, limit, connectableOnly ? connectableTiers : tiers, near);
    const distanceTo = near && index.distancesFrom(near);
    return {
      total,
      entry: page.map((number) => {
        const { id, name, address, fhirVersions, connectable, logo } = entries[number]!;
        const distance = distanceTo?.(number) ?? Infinity;
        return {
          id,
          name,
          address,
          fhirVersions,
          connectable,
          ...(logo === undefined ? {} : { logo }),
          ...(distance === Infinity ? {} : { distance_km: distance }),
        };
      }),
    };
  }

  find(id: number): HealthSystem | undefined {
    const found = this.byId.get(id);
    if (!found) return undefined;
    const { name, address, mode, endpoints } = found;
    return { id, name, address, mode, endpoints };
  }
}

class PartBuilder {
  readonly #index = new IndexBuilder();
  readonly #entries: SnapshotEntry[] = [];

  async add({ name, aliases, addresses, parents, portals, ...entry }: StoredEntry, kept: SnapshotEntry): Promise<void> {
    await this.#index.add({ name, aliases, addresses, affiliations: [...parents, ...portals] }, tierOf(entry));
    this.#entries.push(kept);
  }

  async finish(): Promise<Part> {
    return { index: await this.#index.finish(), entries: this.#entries };
  }
}

/** Search results are in the order of these tiers, and by score within each of them. */
function tierOf({ connectable, available }: { connectable: boolean; available: boolean }): number {
  return (connectable ? 0 : connectableTiers) + (available ? 0 : 1);
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
