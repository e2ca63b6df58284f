import type { CountedKeysStatus, KeysStatus } from '@tributary/contracts';
import type { KekVersion, ManagedKek } from './managed-kek';
import type { WrappedKeys } from './service-keyring';

/** @param counts the number of keys by the id of the version that wrapped them */
export function keysStatusOf(known: readonly KekVersion[], counts: ReadonlyMap<string, number>): KeysStatus {
  const isKnown = new Set(known.filter(({ state }) => state !== 'retired').map(({ id }) => id));
  return {
    versions: known.map(({ id, origin, state, usedInSeconds }) => ({
      id,
      state,
      ...(usedInSeconds === undefined ? {} : { used_in_seconds: usedInSeconds }),
      keys: counts.get(id) ?? 0,
      origin,
    })),
    unknown: [...counts].filter(([id]) => id !== '' && !isKnown.has(id)).map(([id, keys]) => ({ id, keys })),
    not_noted: counts.get('') ?? 0,
  };
}

/** Counting reads an entry of an index for each key, which takes seconds where there are millions. */
const countLifetimeMs = 60_000;

interface Counted {
  /** The versions that were known before the count. */
  versions: readonly KekVersion[];
  at: Date;
  counts: ReadonlyMap<string, number>;
  /** Monotonic milliseconds. */
  ended: number;
}

/** What is read again and again: the versions of now, with counts that are kept for a minute. */
export class KeysStatusReader {
  #counting: Promise<Counted> | undefined;
  #counted: Counted | undefined;

  /** @param now monotonic milliseconds */
  constructor(
    private readonly kek: Pick<ManagedKek, 'versions'>,
    private readonly keys: Pick<WrappedKeys, 'countByVersion'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  async status(): Promise<CountedKeysStatus> {
    let versions = await this.kek.versions();
    for (;;) {
      const counted = await this.#countOf(versions);
      versions = await this.kek.versions();
      // Counts of before a rotation or a retirement would show keys of a version that is not known, or not yet.
      if (areSame(counted.versions, versions))
        return { ...keysStatusOf(versions, counted.counts), counted_at: counted.at.toISOString() };
    }
  }

  /** One count at a time, which all callers share. */
  #countOf(versions: readonly KekVersion[]): Counted | Promise<Counted> {
    const kept = this.#counted;
    if (kept && this.now() - kept.ended < countLifetimeMs && areSame(kept.versions, versions)) return kept;
    this.#counting ??= this.#count(versions).finally(() => (this.#counting = undefined));
    return this.#counting;
  }

  async #count(versions: readonly KekVersion[]): Promise<Counted> {
    const at = new Date();
    const counts = await this.keys.countByVersion();
    this.#counted = { versions, at, counts, ended: this.now() };
    return this.#counted;
  }
}

/** Whether no version was added, retired, or has become the current one. */
function areSame(some: readonly KekVersion[], others: readonly KekVersion[]): boolean {
  const ofAll = (versions: readonly KekVersion[]): string => versions.map(({ id, state }) => `${id} ${state}`).join();
  return ofAll(some) === ofAll(others);
}
