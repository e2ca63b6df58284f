import type { Bounds, Condition, IndexRange, IndexValues } from '@tributary/fhir-search';
import fc from 'fast-check';
import {
  CONDITION,
  OBSERVATION,
  PATIENT,
  type TestStorage,
  content,
  newId,
  openTestStorage,
  allMatches,
  loadIntoMemory,
} from '../../test/storage';
import type { UserRecord } from '../user-record';
import type { RecordKeys } from '../keys/record-keys';
import type { Cursor, Order } from './order';
import { Parameters as StatementParameters } from './parameters';
import { type RecordSearch, conditionSql } from './record-search';
import type { ResourceMatch } from './resource-query';

interface Row {
  typeCode: number;
  id: string;
  lastUpdated: number;
  index: IndexValues;
}

let test: TestStorage;

const dates = [
  -Infinity,
  Date.UTC(1931, 1, 3),
  0,
  1,
  Date.UTC(2020, 5, 1),
  Date.UTC(2020, 5, 1) + 1,
  Date.UTC(9999, 11, 31),
  Infinity,
];
const numbers = [-Infinity, -1e280, -2.5, -1e-9, -0, 0, 1e-9, 2.5, 2.5000001, 7, 1e300, Infinity];

function within(value: number, { ge, gt, le, lt }: Bounds = {}): boolean {
  return (
    (ge === undefined || value >= ge) &&
    (gt === undefined || value > gt) &&
    (le === undefined || value <= le) &&
    (lt === undefined || value < lt)
  );
}

/** What a condition means, on plain values: the oracle. */
function matches(row: Row, condition: Condition): boolean {
  switch (condition.op) {
    case 'all':
      return true;
    case 'outdated':
      return false;
    case 'and':
      return condition.of.every((each) => matches(row, each));
    case 'or':
      return condition.of.some((each) => matches(row, each));
    case 'not':
      return !matches(row, condition.of);
    case 'any-term':
      return condition.terms.some((term) => row.index.terms.includes(term));
    case 'has-range':
      return row.index.ranges.some(({ name }) => name === condition.name);
    case 'range':
      return row.index.ranges.some(
        (range) =>
          range.name === condition.name && within(range.low, condition.low) && within(range.high, condition.high),
      );
    case 'id':
      return condition.ids.includes(row.id);
    case 'last-updated':
      return within(row.lastUpdated, condition);
  }
}

const terms = ['code|a', 'code|b', 'status|final', 'ünïcode', ''];
const manyTerms = Array.from({ length: 300 }, (_, n) => `nowhere ${n}`);
const range = (name: string, kind: 'date' | 'number', values: readonly number[]): fc.Arbitrary<IndexRange> =>
  fc
    .tuple(fc.constantFrom(...values), fc.constantFrom(...values))
    .map(([a, b]) => ({ name, kind, low: Math.min(a, b), high: Math.max(a, b) }));

const indexValues: fc.Arbitrary<IndexValues> = fc.record({
  terms: fc.subarray(terms),
  ranges: fc
    .tuple(
      fc.option(range('date', 'date', dates)),
      fc.option(range('value', 'number', numbers)),
      fc.array(range('many', 'number', numbers), { maxLength: 3 }),
    )
    .map(([date, value, many]) => [...(date ? [date] : []), ...many, ...(value ? [value] : [])]),
});

const bounds = (values: readonly number[]): fc.Arbitrary<Bounds> =>
  fc.record(
    {
      ge: fc.constantFrom(...values),
      gt: fc.constantFrom(...values),
      le: fc.constantFrom(...values),
      lt: fc.constantFrom(...values),
    },
    { requiredKeys: [] },
  );

/** The row that the test's condition names by id and time is chosen when the rows are known. */
function conditionsOver(rows: readonly Row[]): fc.Arbitrary<Condition> {
  const ids = fc.subarray(
    rows.map(({ id }) => id),
    { maxLength: 5 },
  );
  const times = rows.map(({ lastUpdated }) => lastUpdated);
  const rangeOf = (
    name: string,
    kind: 'date' | 'number',
    repeats: boolean,
    values: readonly number[],
  ): fc.Arbitrary<Condition> =>
    fc
      .record({ low: bounds(values), high: bounds(values) }, { requiredKeys: [] })
      .map((ends) => ({ op: 'range', name, kind, repeats, ...ends }));
  return fc.letrec<{ condition: Condition }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'condition' },
      fc.constantFrom<Condition>({ op: 'all' }, { op: 'outdated' }),
      fc.subarray([...terms, 'nowhere']).map((some): Condition => ({ op: 'any-term', terms: some })),
      fc.subarray([...terms, 'nowhere']).map((some): Condition => ({ op: 'any-term', terms: [...some, ...manyTerms] })),
      rangeOf('date', 'date', false, dates),
      rangeOf('value', 'number', false, numbers),
      fc.array(rangeOf('date', 'date', false, dates), { maxLength: 3 }).map((of): Condition => ({ op: 'and', of })),
      rangeOf('many', 'number', true, numbers),
      fc.constantFrom('date', 'many', 'nowhere').map((name): Condition => ({ op: 'has-range', name })),
      ids.map((some): Condition => ({ op: 'id', ids: [...some, 'not-a-uuid'] })),
      bounds([...times, -Infinity, Infinity]).map((some): Condition => ({ op: 'last-updated', ...some })),
      fc.array(tie('condition'), { maxLength: 3 }).map((of): Condition => ({ op: 'and', of })),
      fc.array(tie('condition'), { maxLength: 3 }).map((of): Condition => ({ op: 'or', of })),
      tie('condition').map((of): Condition => ({ op: 'not', of })),
    ),
  })).condition;
}

async function store(record: UserRecord, typeCodes: readonly number[], all: readonly IndexValues[]): Promise<Row[]> {
  const changes = all.map((index, i) => ({
    typeCode: typeCodes[i % typeCodes.length] as number,
    id: newId(),
    ...content(`"n":${i}`, index),
  }));
  const rows: Row[] = [];
  for (let i = 0; i < changes.length; i += 25) {
    const outcomes = await record.write(changes.slice(i, i + 25));
    outcomes.forEach(({ typeCode, id, lastUpdated }, at) =>
      rows.push({ typeCode, id, lastUpdated, index: all[i + at] as IndexValues }),
    );
  }
  return rows;
}

const sortedIds = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id).toSorted();

async function allPages(record: UserRecord, query: Parameters<RecordSearch['page']>[0]): Promise<ResourceMatch[]> {
  const matches: ResourceMatch[] = [];
  for (let after = query.after; ;) {
    const page = await record.search.page({ ...query, ...(after ? { after } : {}) });
    matches.push(...page.matches);
    if (!page.next) return matches;
    expect(page.matches).toHaveLength(query.limit);
    after = JSON.parse(JSON.stringify(page.next)) as string[];
  }
}

describe.each(['by SQL', 'in memory'])('search %s', (where) => {
  /** A search of several types is always by SQL. */
  const someOf = (typeCodes: number[]): fc.Arbitrary<number[]> =>
    fc.subarray(typeCodes, { minLength: 1, maxLength: where === 'in memory' ? 1 : typeCodes.length });
  /** As many searches in memory as by SQL are of one type. */
  const runs = (bySql: number): number => (where === 'in memory' ? Math.ceil(bySql / 2) : bySql);

  beforeAll(async () => {
    test = await openTestStorage(where === 'in memory' ? { searchedInMemoryFrom: 1 } : {});
  });
  afterAll(() => test.close());

  const load = async (record: UserRecord, ...typeCodes: number[]): Promise<void> => {
    if (where === 'in memory') await loadIntoMemory(record, typeCodes);
  };

  it('finds and counts the matches of a condition', async () => {
    const record = test.newRecord();
    const rows = await store(record, [OBSERVATION, CONDITION], fc.sample(indexValues, { numRuns: 120, seed: 7 }));
    await load(record, OBSERVATION, CONDITION);
    await fc.assert(
      fc.asyncProperty(conditionsOver(rows), someOf([OBSERVATION, CONDITION, PATIENT]), async (where, typeCodes) => {
        const expected = rows.filter((row) => typeCodes.includes(row.typeCode) && matches(row, where));
        const page = await record.search.page({ typeCodes, where, limit: 500, total: true });
        expect(sortedIds(page.matches)).toEqual(sortedIds(expected));
        expect(page.total).toBe(expected.length);
        expect(page.next).toBeUndefined();
        const keys = await record.search.keysPage({ typeCodes, where, limit: 500 });
        expect(keys.matches).toEqual(page.matches.map(({ json: _line, ...entry }) => entry));
        expect(await record.search.count(typeCodes, where)).toBe(expected.length);
      }),
      { numRuns: runs(300), seed: 11 },
    );
  });

  it('returns every page in the requested order, each match once, in both directions', async () => {
    const record = test.newRecord();
    const rows = await store(record, [OBSERVATION, CONDITION], fc.sample(indexValues, { numRuns: 60, seed: 3 }));
    await load(record, OBSERVATION, CONDITION);
    const key = (row: Row, order: Order): number | string | null => {
      if (order.by === 'id') return row.id;
      if (order.by === 'last-updated') return row.lastUpdated;
      const ends = row.index.ranges
        .filter(({ name }) => name === order.name)
        .map(({ low, high }) => (order.descending ? high : low));
      return ends.length === 0 ? null : order.descending ? Math.max(...ends) : Math.min(...ends);
    };
    const compare =
      (orders: readonly Order[]) =>
      (a: Row, b: Row): number => {
        for (const order of orders) {
          const [left, right] = [key(a, order), key(b, order)];
          if (left === right || (left === 0 && right === 0)) continue;
          if (left === null || right === null) return left === null ? 1 : -1;
          return (left < right ? -1 : 1) * (order.descending ? -1 : 1);
        }
        return a.typeCode - b.typeCode || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
      };
    const orders = fc.uniqueArray(
      fc.record({ key: fc.constantFrom('last-updated', 'id', 'date', 'value', 'many'), descending: fc.boolean() }),
      { selector: (order) => order.key, maxLength: 3 },
    );
    const toOrder = ({ key: name, descending }: { key: string; descending: boolean }): Order =>
      name === 'last-updated' || name === 'id'
        ? { by: name, descending }
        : { by: 'range', name, kind: name === 'date' ? 'date' : 'number', repeats: name === 'many', descending };
    await fc.assert(
      fc.asyncProperty(
        orders,
        someOf([OBSERVATION, CONDITION]),
        fc.integer({ min: 1, max: 25 }),
        async (asked, typeCodes, limit) => {
          const order = asked.map(toOrder);
          const query = { typeCodes, where: { op: 'all' }, order, limit } as const;
          const matches = await allPages(record, query);
          const ids = matches.map(({ id }) => id);
          expect(ids).toEqual(
            rows
              .filter(({ typeCode }) => typeCodes.includes(typeCode))
              .toSorted(compare(order))
              .map(({ id }) => id),
          );
          const backward = await allPages(record, { ...query, direction: 'backward' });
          expect(backward.map(({ id }) => id)).toEqual(ids.toReversed());
          const at = limit % matches.length;
          const before = await record.search.page({
            ...query,
            direction: 'backward',
            after: matches[at]?.cursor as Cursor,
          });
          expect(before.matches.map(({ id }) => id)).toEqual(ids.slice(Math.max(0, at - limit), at).toReversed());
        },
      ),
      { numRuns: runs(60), seed: 5 },
    );
  });

  it('counts the matches of all pages on every page, in any order', async () => {
    const record = test.newRecord();
    const rows = await store(record, [OBSERVATION, CONDITION], fc.sample(indexValues, { numRuns: 60, seed: 13 }));
    await load(record, OBSERVATION, CONDITION);
    const orders: Order[][] = [
      [],
      [{ by: 'last-updated', descending: true }],
      [{ by: 'range', name: 'date', kind: 'date', repeats: false }],
    ];
    await fc.assert(
      fc.asyncProperty(
        conditionsOver(rows),
        someOf([OBSERVATION, CONDITION]),
        fc.constantFrom(...orders),
        fc.integer({ min: 1, max: 60 }),
        async (where, typeCodes, order, limit) => {
          const expected = rows.filter((row) => typeCodes.includes(row.typeCode) && matches(row, where)).length;
          const query = { typeCodes, where, order, limit, total: true };
          const first = await record.search.page(query);
          expect(first.total).toBe(expected);
          if (first.next) expect((await record.search.page({ ...query, after: first.next })).total).toBe(expected);
        },
      ),
      { numRuns: runs(100), seed: 17 },
    );
  });

  it('returns stable pages while resources are added', async () => {
    const record = test.newRecord();
    const rows = await store(
      record,
      [OBSERVATION],
      Array.from({ length: 50 }, () => ({ terms: ['t'], ranges: [] })),
    );
    await load(record, OBSERVATION);
    const seen: string[] = [];
    let after: readonly (string | null)[] | undefined;
    do {
      const page = await record.search.page({
        typeCodes: [OBSERVATION],
        where: { op: 'all' },
        limit: 7,
        ...(after ? { after } : {}),
      });
      seen.push(...page.matches.map(({ id }) => id));
      after = page.next;
      await record.create(OBSERVATION, newId(), content('"new":true', { terms: ['t'], ranges: [] }));
    } while (after);
    expect(new Set(seen).size).toBe(seen.length);
    expect(rows.every(({ id }) => seen.includes(id))).toBe(true);
  });

  it('returns every match once over all pages', async () => {
    const record = test.newRecord();
    await store(
      record,
      [OBSERVATION],
      Array.from({ length: 70 }, (_, i) => ({ terms: [i % 2 ? 'odd' : 'even'], ranges: [] })),
    );
    await load(record, OBSERVATION);
    const matches = await allMatches(
      record,
      { typeCodes: [OBSERVATION], where: { op: 'any-term', terms: ['odd'] } },
      10,
    );
    expect(new Set(matches.map(({ id }) => id)).size).toBe(35);
    expect(matches).toHaveLength(35);
  });

  it('finds a resource as soon as it is written, under its new values only', async () => {
    const record = test.newRecord();
    const id = newId();
    const found = async (term: string): Promise<number> =>
      record.search.count([OBSERVATION], { op: 'any-term', terms: [term] });
    await record.create(OBSERVATION, id, content('"a":1', { terms: ['before'], ranges: [] }));
    await load(record, OBSERVATION);
    expect(await found('before')).toBe(1);
    await record.update(OBSERVATION, id, content('"a":2', { terms: ['after'], ranges: [] }));
    expect([await found('before'), await found('after')]).toEqual([0, 1]);
    await record.delete(OBSERVATION, id);
    expect(await found('after')).toBe(0);
  });

  it('refuses a cursor of another order', async () => {
    const record = test.newRecord();
    await store(record, [OBSERVATION], [{ terms: [], ranges: [] }]);
    await load(record, OBSERVATION);
    await expect(
      record.search.page({ typeCodes: [OBSERVATION], where: { op: 'all' }, limit: 1, after: ['1', '2'] }),
    ).rejects.toThrow(RangeError);
  });

  it('pages over keys alone', async () => {
    const record = test.newRecord();
    const rows = await store(record, [OBSERVATION, CONDITION], fc.sample(indexValues, { numRuns: 30, seed: 3 }));
    await load(record, OBSERVATION, CONDITION);
    const found: string[] = [];
    let after: readonly (string | null)[] | undefined;
    do {
      const page = await record.search.keysPage({
        typeCodes: [OBSERVATION],
        where: { op: 'all' },
        limit: 7,
        ...(after ? { after } : {}),
      });
      found.push(...page.matches.map(({ id }) => id));
      after = page.next;
    } while (after);
    expect(found.toSorted()).toEqual(sortedIds(rows.filter(({ typeCode }) => typeCode === OBSERVATION)));
  });
});

it('hashes a long list of terms, with generic plans too', async () => {
  const keys = { blindTerm: (term: string) => BigInt(term.length) } as RecordKeys;
  const sql = conditionSql(
    keys,
    { op: 'any-term', terms: Array.from({ length: 300 }, (_, n) => 'x'.repeat(n)) },
    new StatementParameters(),
  );
  const storage = await openTestStorage();
  const client = await storage.pool.connect();
  await client.query('SET plan_cache_mode = force_generic_plan');
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: object }] }>(
    `EXPLAIN (FORMAT JSON) SELECT FROM fhir_store.resource r WHERE r.user_id = 1 AND ${sql}`,
  );
  client.release(true);
  await storage.close();
  // The one text from which PostgreSQL makes a hashed comparison: a constant array.
  expect(JSON.stringify(rows[0]?.['QUERY PLAN'])).toContain(`term = ANY ('{0,1,2,3,`);
});
