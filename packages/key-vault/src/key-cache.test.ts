import { keyCache, purgeIdleKeys } from './key-cache';

describe('the cache of unwrapped keys', () => {
  let now: number;
  beforeEach(() => {
    now = 1000;
  });
  const open = (load?: (id: string) => Promise<{ id: string }>) =>
    keyCache<string, { id: string }>({ max: 10, now: () => now, ...(load ? { load } : {}) });

  it('gives up keys that are not used, without another access', () => {
    const cache = open();
    for (const id of ['used', 'idle']) cache.set(id, { id });
    for (let minute = 0; minute < 14; minute++) {
      now += 60_000;
      expect(cache.get('used')).toEqual({ id: 'used' });
    }
    purgeIdleKeys();
    expect([...cache.keys()].toSorted()).toEqual(['idle', 'used']);
    now += 60_001;
    purgeIdleKeys();
    expect([...cache.keys()]).toEqual(['used']);
    now += 900_001;
    purgeIdleKeys();
    expect(cache.size).toBe(0);
  });

  it('loads a key again after it was given up, once for all callers', async () => {
    let loads = 0;
    const cache = open((id) => {
      loads++;
      return Promise.resolve({ id });
    });
    await Promise.all([cache.fetch('a'), cache.fetch('a')]);
    now += 800_000;
    await cache.fetch('a');
    now += 800_000;
    await cache.fetch('a');
    expect(loads).toBe(1);
    now += 900_001;
    await Promise.all([cache.fetch('a'), cache.fetch('a')]);
    expect(loads).toBe(2);
  });
});
