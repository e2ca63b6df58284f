import type { Condition, IndexValues } from '@tributary/fhir-search';
import {
  CONDITION,
  OBSERVATION,
  type TwoProcesses,
  content,
  isInMemory,
  loadIntoMemory,
  newId,
  openTwoProcesses,
} from '../../../test/storage';
import type { UserRecord } from '../../user-record';
import type { Cursor, Order } from '../order';

const TERMS = ['a', 'b', 'c'];
const order: readonly Order[] = [{ by: 'range', name: 'date', kind: 'date', repeats: false, descending: true }];

let test: TwoProcesses['test'];
let other: TwoProcesses['other'];
let close: TwoProcesses['close'];
beforeEach(async () => {
  ({ test, other, close } = await openTwoProcesses());
});
afterEach(() => close());

/** The same number for the same seed. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const indexOf = (n: number): IndexValues => ({
  terms: TERMS.filter((_, at) => n & (1 << at)),
  ranges: n % 5 === 0 ? [] : [{ name: 'date', kind: 'date', low: n, high: n + (n % 3) }],
});
const conditions: readonly Condition[] = [
  { op: 'all' },
  { op: 'any-term', terms: ['a'] },
  {
    op: 'and',
    of: [
      { op: 'any-term', terms: ['b'] },
      { op: 'not', of: { op: 'any-term', terms: ['c'] } },
    ],
  },
  { op: 'range', name: 'date', kind: 'date', repeats: false, low: { ge: 20 }, high: { lt: 70 } },
];

async function expectSame(record: UserRecord, bySql: UserRecord): Promise<void> {
  for (const where of conditions) {
    const query = { typeCodes: [OBSERVATION], where, order, limit: 7, total: true };
    const [page, expected] = [await record.search.page(query), await bySql.search.page(query)];
    expect(page).toEqual(expected);
    const following = page.next ? { ...query, after: page.next } : query;
    expect(await record.search.page(following)).toEqual(await bySql.search.page(following));
    expect(await record.search.keysPage(query)).toEqual(await bySql.search.keysPage(query));
    expect(await record.search.count([OBSERVATION], where)).toBe(page.total);
  }
}

/** npm test takes one sequence of writes, npm run test:full both. */
const seeds = process.env['TEST_SMOKE'] === undefined ? [1, 2] : [1];
it.each(seeds)('finds what SQL finds after every kind of write, by any process (seed %i)', async (seed) => {
  const below = random(seed);
  const record = test.newRecord();
  const elsewhere = other.record(record.userId, record.clientId);
  const value = () => content(`"n":${below(1000)}`, indexOf(below(100)));
  const ids: string[] = [];
  const some = (): string => ids[below(ids.length)] as string;
  const create = async (by: UserRecord): Promise<void> => {
    const id = newId();
    ids.push(id);
    await by.create(OBSERVATION, id, value());
  };
  const writes: ((by: UserRecord) => Promise<unknown>)[] = [
    create,
    create,
    (by) => by.update(OBSERVATION, some(), value()),
    (by) => by.delete(OBSERVATION, some()),
    (by) => by.create(CONDITION, newId(), value()),
    (by) => by.write([some(), newId()].map((id) => ({ typeCode: OBSERVATION, id, ...value() }))),
    (by) => by.transaction((locked) => locked.write([{ typeCode: OBSERVATION, id: some(), delete: true }])),
    (by) => (by === record ? test.storage : other).compactRecord(record.userId),
  ];
  for (let n = 0; n < 20; n++) await create(record);
  await loadIntoMemory(record, [OBSERVATION]);
  for (let round = 0; round < 40; round++) {
    for (let n = below(3); n >= 0; n--)
      await (writes[below(writes.length)] as (typeof writes)[number])(below(2) ? record : elsewhere);
    await expectSame(record, elsewhere);
  }
  expect(await isInMemory(record)).toBe(true);
});

/** What no valid resource has: repeated terms, several values of a single path, values that are no numbers. */
it('finds what SQL finds in rows of unusual values', async () => {
  const record = test.newRecord();
  const elsewhere = other.record(record.userId, record.clientId);
  const numbers = [NaN, Infinity, 5, 3, 0, -0, -Infinity];
  const value = (low: number, high = low) => ({ name: 'value', kind: 'number', low, high }) as const;
  for (const number of numbers) {
    const ranges = [[value(number)], [value(number), value(4)], [value(4), value(number)], [value(-Infinity, number)]];
    for (const each of ranges)
      await record.create(OBSERVATION, newId(), content('"n":0', { terms: ['a', 'b', 'a'], ranges: each }));
  }
  await record.create(OBSERVATION, newId(), content('"n":0'));
  await loadIntoMemory(record, [OBSERVATION]);
  const bounds = numbers.flatMap((at) => [{ ge: at }, { gt: at }, { le: at }, { lt: at }]);
  const wheres: Condition[] = [
    { op: 'any-term', terms: ['a'] },
    { op: 'not', of: { op: 'any-term', terms: ['b'] } },
    ...[true, false].flatMap((repeats) =>
      bounds.flatMap((ends): Condition[] => [
        { op: 'range', name: 'value', kind: 'number', repeats, low: ends },
        { op: 'range', name: 'value', kind: 'number', repeats, high: ends },
      ]),
    ),
  ];
  for (const where of wheres) {
    const of = { where, count: await record.search.count([OBSERVATION], where) };
    expect(of).toEqual({ where, count: await elsewhere.search.count([OBSERVATION], where) });
  }
  for (const repeats of [true, false])
    for (const descending of [true, false])
      for (const direction of ['forward', 'backward'] as const) {
        const by: Order = { by: 'range', name: 'value', kind: 'number', repeats, descending };
        const query = { typeCodes: [OBSERVATION], where: { op: 'all' }, order: [by], direction, limit: 5 } as const;
        for (let after: Cursor | undefined; ;) {
          const page = await record.search.keysPage({ ...query, ...(after ? { after } : {}) });
          expect(page).toEqual(await elsewhere.search.keysPage({ ...query, ...(after ? { after } : {}) }));
          if (!(after = page.next)) break;
        }
      }
  expect(await isInMemory(record)).toBe(true);
});

/** Searches without a pause during work. */
async function duringSearches(search: () => Promise<void>, work: () => Promise<void>): Promise<void> {
  let isWorking = true;
  const searching = Array.from({ length: 3 }, async () => {
    while (isWorking) await search();
  });
  const working = work().finally(() => (isWorking = false));
  await Promise.all([working, ...searching]);
}

it('sees the writes of a transaction all at once, during searches', async () => {
  const record = test.newRecord();
  const elsewhere = other.record(record.userId, record.clientId);
  const ids = Array.from({ length: 6 }, newId);
  const put = (at: number, terms: string[]) => ({
    typeCode: OBSERVATION,
    id: ids[at % ids.length] as string,
    ...content(`"n":${at % ids.length}`, { terms, ranges: [] }),
  });
  await elsewhere.write(ids.map((_, at) => put(at, at === 0 ? ['here'] : [])));
  await loadIntoMemory(record, [OBSERVATION]);
  const where: Condition = { op: 'any-term', terms: ['here'] };
  await duringSearches(
    async () => {
      expect(await record.search.count([OBSERVATION], where)).toBe(1);
      const { matches, total } = await record.search.page({ typeCodes: [OBSERVATION], where, limit: 5, total: true });
      expect([matches.length, total]).toEqual([1, 1]);
      const [{ id, json }] = matches as [(typeof matches)[0]];
      expect(JSON.parse(json.toString('utf8'))).toMatchObject({ id, n: ids.indexOf(id) });
    },
    async () => {
      for (let n = 0; n < 120; n++) await elsewhere.write([put(n, []), put(n + 1, ['here'])]);
    },
  );
});

it('finds each write as soon as it is acknowledged, during searches', async () => {
  const record = test.newRecord();
  await record.create(OBSERVATION, newId(), content('"n":0'));
  await loadIntoMemory(record, [OBSERVATION]);
  await duringSearches(
    async () => void (await record.search.count([OBSERVATION], { op: 'all' })),
    async () => {
      for (let n = 0; n < 60; n++) {
        const where: Condition = { op: 'any-term', terms: [`own ${n}`] };
        const id = newId();
        await record.create(OBSERVATION, id, content('"n":1', { terms: [`own ${n}`], ranges: [] }));
        const { matches } = await record.search.page({ typeCodes: [OBSERVATION], where, limit: 2 });
        expect(matches.map((match) => match.id)).toEqual([id]);
        await record.delete(OBSERVATION, id);
        expect(await record.search.count([OBSERVATION], where)).toBe(0);
      }
    },
  );
});

it('gives up an index after many changes, and loads it again', async () => {
  const record = test.newRecord();
  await record.create(OBSERVATION, newId(), content('"n":0'));
  await loadIntoMemory(record, [OBSERVATION]);
  const more = Array.from({ length: 80 }, (_, n) => content(`"n":${n}`, indexOf(n)));
  await Promise.all(more.map((each) => record.create(OBSERVATION, newId(), each)));
  await expectSame(record, other.record(record.userId, record.clientId));
  await loadIntoMemory(record, [OBSERVATION]);
  await expectSame(record, other.record(record.userId, record.clientId));
});
