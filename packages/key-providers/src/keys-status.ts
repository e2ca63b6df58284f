import type { CountedKeysStatus, KeysStatus } from '@tributary/contracts';
import type { ManagedKek } from './managed-kek';
import type { WrappedKeys } from './service-keyring';

/** @param counts the number of keys by the id of the version that wrapped them */
export async function keysStatusOf(
  kek: Pick<ManagedKek, 'versions'>,
  counts: ReadonlyMap<string, number>,
): Promise<KeysStatus> {
  const known = await kek.versions();
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
  /** Monotonic milliseconds. */
  since: number;
  at: Date;
  counts: Promise<ReadonlyMap<string, number>>;
}

/** What is read again and again: the versions of now, with counts that are kept for a minute. */
export class KeysStatusReader {
  #counted: Counted | undefined;

  /** @param now monotonic milliseconds */
  constructor(
    private readonly kek: Pick<ManagedKek, 'versions'>,
    private readonly keys: Pick<WrappedKeys, 'countByVersion'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  async status(): Promise<CountedKeysStatus> {
    const { at, counts } = this.#count();
    return { ...(await keysStatusOf(this.kek, await counts)), counted_at: at.toISOString() };
  }

  /** One count at a time, which all callers share. */
  #count(): Counted {
    const kept = this.#counted;
    if (kept && this.now() - kept.since < countLifetimeMs) return kept;
    const counted = { since: this.now(), at: new Date(), counts: this.keys.countByVersion() };
    this.#counted = counted;
    counted.counts.catch(() => (this.#counted = undefined));
    return counted;
  }
}
