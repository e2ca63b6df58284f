import type { KekVersion } from './managed-kek';
import { KeysStatusReader, keysStatusOf } from './keys-status';

const known: KekVersion[] = [
  { id: 'a', origin: 'key 1', state: 'retired' },
  { id: 'b', origin: 'key 2', state: 'current' },
  { id: 'c', origin: 'key 3', state: 'waiting', usedInSeconds: 40 },
];
const kek = { versions: () => Promise.resolve(known) };

it('tells which versions have wrapped keys, and which of them are not known', () => {
  const counts = new Map([
    ['a', 1],
    ['b', 7],
    ['d', 2],
    ['', 3],
  ]);
  expect(keysStatusOf(known, counts)).toEqual({
    versions: [
      { id: 'a', origin: 'key 1', state: 'retired', keys: 1 },
      { id: 'b', origin: 'key 2', state: 'current', keys: 7 },
      { id: 'c', origin: 'key 3', state: 'waiting', keys: 0, used_in_seconds: 40 },
    ],
    unknown: [
      { id: 'a', keys: 1 },
      { id: 'd', keys: 2 },
    ],
    not_noted: 3,
  });
});

it('counts the keys once a minute at most, and again after a failure', async () => {
  let [now, counted, fails] = [0, 0, false];
  const countByVersion = (): Promise<Map<string, number>> =>
    fails ? Promise.reject(new Error('for the test')) : Promise.resolve(new Map([['b', ++counted]]));
  const reader = new KeysStatusReader(kek, { countByVersion }, () => now);
  const keys = async (): Promise<number | undefined> => (await reader.status()).versions[1]?.keys;
  expect(await Promise.all([keys(), keys()])).toEqual([1, 1]);
  now = 59_999;
  expect(await keys()).toBe(1);
  now = 60_000;
  fails = true;
  await expect(keys()).rejects.toThrow('for the test');
  fails = false;
  expect(await keys()).toBe(2);
});

it('counts again when a version was added or retired since the count', async () => {
  let versions: KekVersion[] = [{ id: 'a', origin: 'key 1', state: 'current' }];
  let counts = new Map([['a', 5]]);
  let onCount = (): void => undefined;
  const countByVersion = (): Promise<Map<string, number>> => {
    const counted = counts;
    onCount();
    return Promise.resolve(counted);
  };
  const reader = new KeysStatusReader({ versions: () => Promise.resolve(versions) }, { countByVersion }, () => 0);
  const status = async (): Promise<unknown> => {
    const { versions: found, unknown } = await reader.status();
    return [found.map(({ id, keys }) => [id, keys]), unknown];
  };
  expect(await status()).toEqual([[['a', 5]], []]);
  versions = [{ id: 'b', origin: 'key 2', state: 'current' }];
  counts = new Map([['b', 5]]);
  expect(await status()).toEqual([[['b', 5]], []]);
  // During the count.
  versions = [...versions, { id: 'c', origin: 'key 3', state: 'waiting' }];
  onCount = () => {
    onCount = () => undefined;
    versions = [{ id: 'c', origin: 'key 3', state: 'current' }];
    counts = new Map([['c', 5]]);
  };
  expect(await status()).toEqual([[['c', 5]], []]);
  // What no version explains is shown.
  counts = new Map([['d', 1]]);
  versions = [{ id: 'c', origin: 'key 3', state: 'accepted' }];
  expect(await status()).toEqual([[['c', 0]], [{ id: 'd', keys: 1 }]]);
});

it('makes one count at a time, and keeps it for a minute from its end', async () => {
  let now = 0;
  const counts: { resolve(counts: Map<string, number>): void; reject(error: Error): void }[] = [];
  const countByVersion = (): Promise<Map<string, number>> =>
    new Promise((resolve, reject) => counts.push({ resolve, reject }));
  const reader = new KeysStatusReader(kek, { countByVersion }, () => now);
  const others = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const first = reader.status();
  await others();
  now = 90_000;
  const second = reader.status();
  await others();
  expect(counts).toHaveLength(1);
  counts[0]!.resolve(new Map([['b', 7]]));
  expect((await Promise.all([first, second])).map(({ versions }) => versions[1]?.keys)).toEqual([7, 7]);
  now = 149_999;
  await reader.status();
  expect(counts).toHaveLength(1);
  now = 150_000;
  const failed = [reader.status(), reader.status()];
  await others();
  counts[1]!.reject(new Error('for the test'));
  expect((await Promise.allSettled(failed)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const last = reader.status();
  await others();
  counts[2]!.resolve(new Map([['b', 8]]));
  expect((await last).versions[1]?.keys).toBe(8);
  expect(counts).toHaveLength(3);
});
