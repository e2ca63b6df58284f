import type { KekVersion } from './managed-kek';
import { KeysStatusReader, keysStatusOf } from './keys-status';

const versions = (...found: KekVersion[]) => ({ versions: () => Promise.resolve(found) });
const kek = versions(
  { id: 'a', origin: 'key 1', state: 'retired' },
  { id: 'b', origin: 'key 2', state: 'current' },
  { id: 'c', origin: 'key 3', state: 'waiting', usedInSeconds: 40 },
);

it('tells which versions have wrapped keys, and which of them are not known', async () => {
  const counts = new Map([
    ['a', 1],
    ['b', 7],
    ['d', 2],
    ['', 3],
  ]);
  expect(await keysStatusOf(kek, counts)).toEqual({
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
