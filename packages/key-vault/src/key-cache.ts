import { LRUCache } from 'lru-cache';

const purgeEveryMs = 60_000;
/** The age of a key is measured to this precision, in milliseconds: a clock is read seldom. */
const precisionMs = 1000;

/** How long an unused key stays in memory, in milliseconds. */
const KEY_IDLE_MS = 900_000;

interface Purgeable {
  purgeStale(): boolean;
}

/** The caches of this process. One timer purges all of them: a timer for each key would cost more than the key. */
const caches = new Set<WeakRef<Purgeable>>();
let timer: NodeJS.Timeout | undefined;

export interface KeyCacheOptions<Key extends {}, Value extends {}> {
  /** The maximum number of keys. */
  max: number;
  /** Loads a key that is missing, once for all callers that wait for it. */
  load?(id: Key): Promise<Value | undefined>;
  /** Monotonic milliseconds. */
  now?(): number;
}

/**
 * A cache of unwrapped keys: the least recently used leave it when it is full, and unused ones after 15 minutes, at
 * most a minute later. Work in progress holds its key itself. Its bytes are therefore not overwritten, but left to the
 * garbage collector.
 */
export function keyCache<Key extends {}, Value extends {}>({
  max,
  load,
  now,
}: KeyCacheOptions<Key, Value>): LRUCache<Key, Value> {
  const cache = new LRUCache<Key, Value>({
    max,
    ttl: KEY_IDLE_MS,
    updateAgeOnGet: true,
    ttlResolution: now ? 0 : precisionMs,
    ...(now ? { perf: { now } } : {}),
    // `ignoreFetchAbort`: a key that is evicted while it is loaded is still returned to the callers that wait for it.
    ...(load ? { fetchMethod: load, ignoreFetchAbort: true } : {}),
  });
  caches.add(new WeakRef(cache));
  timer ??= setInterval(purgeIdleKeys, purgeEveryMs).unref();
  return cache;
}

/** Removes the keys that have been unused for too long from all caches of this process. */
export function purgeIdleKeys(): void {
  for (const reference of caches) {
    const cache = reference.deref();
    if (cache) cache.purgeStale();
    else caches.delete(reference);
  }
}
