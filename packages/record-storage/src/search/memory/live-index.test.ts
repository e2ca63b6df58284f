import type { Condition } from '@tributary/fhir-search';
import {
  OBSERVATION,
  type TwoProcesses,
  content,
  isInMemory,
  loadIntoMemory,
  newId,
  openTestStorage,
  openTwoProcesses,
} from '../../../test/storage';
import { findChanges } from './live-statements';

let test: TwoProcesses['test'];
let other: TwoProcesses['other'];
let close: TwoProcesses['close'];
beforeEach(async () => {
  ({ test, other, close } = await openTwoProcesses());
});
afterEach(() => close());

it('finds nothing in a record that another process has destroyed', async () => {
  const record = test.newRecord();
  await record.create(OBSERVATION, newId(), content('"n":0'));
  await loadIntoMemory(record, [OBSERVATION]);
  await other.destroyRecord(record.userId);
  expect(await record.search.count([OBSERVATION], { op: 'all' })).toBe(0);
  expect(await record.search.keysPage({ typeCodes: [OBSERVATION], where: { op: 'all' }, limit: 5 })).toMatchObject({
    matches: [],
  });
});

const indexesInMemory = (): number => test.storage['memoryIndexes']['indexes'].size;

it('has no index, which contains the keys, of a record that is destroyed while it is loaded', async () => {
  const record = test.newRecord();
  await record.create(OBSERVATION, newId(), content('"n":0'));
  for (let n = 0; n < 2; n++) await record.search.count([OBSERVATION], { op: 'all' });
  await test.storage.destroyRecord(record.userId);
  await test.storage['memoryIndexes']['loading'];
  expect(indexesInMemory()).toBe(0);
});

it('removes an index, which contains the keys, after ten minutes without a search', async () => {
  const record = test.newRecord();
  await record.create(OBSERVATION, newId(), content('"n":0'));
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'Date', 'performance'] });
  try {
    await loadIntoMemory(record, [OBSERVATION]);
    expect(indexesInMemory()).toBe(1);
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 600_010);
    jest.advanceTimersByTime(600_010);
    clock.mockRestore();
    expect(indexesInMemory()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});

it.each([
  ['many resources', (n: number) => content(`"n":${n}`), 3100],
  ['large content', () => content(`"text":"${'x'.repeat(2_500_000)}"`), 1],
])('gives up an index after a write of %s', async (_, value, resources) => {
  const record = test.newRecord();
  const elsewhere = other.record(record.userId, record.clientId);
  await record.create(OBSERVATION, newId(), content('"n":0'));
  await loadIntoMemory(record, [OBSERVATION]);
  const changes = Array.from({ length: resources }, (_each, n) => ({
    typeCode: OBSERVATION,
    id: newId(),
    ...value(n),
  }));
  for (let from = 0; from < resources; from += 100) await elsewhere.write(changes.slice(from, from + 100));
  expect(await record.search.count([OBSERVATION], { op: 'all' })).toBe(resources + 1);
  expect(await isInMemory(record)).toBe(false);
});

it('gives up an index when a new block cannot be read, which searches without it do not need', async () => {
  const record = test.newRecord();
  await record.create(OBSERVATION, newId(), content('"n":0'));
  await loadIntoMemory(record, [OBSERVATION]);
  const { lastUpdated } = await record.create(OBSERVATION, newId(), content('"n":1'));
  await test.pool.query(`UPDATE fhir_store.block SET content = '\\x00' WHERE written_at = $1`, [lastUpdated]);
  expect(await record.search.count([OBSERVATION], { op: 'all' })).toBe(2);
  await loadIntoMemory(record, [OBSERVATION]);
  expect(await record.search.count([OBSERVATION], { op: 'all' })).toBe(2);
});

it('searches by SQL with many conditions, which take long', async () => {
  const record = test.newRecord();
  const resources = Array.from({ length: 1600 }, (_, n) => ({
    typeCode: OBSERVATION,
    id: newId(),
    ...content(`"n":${n}`),
  }));
  await record.write(resources);
  await loadIntoMemory(record, [OBSERVATION]);
  expect(await isInMemory(record)).toBe(true);
  const of = Array.from({ length: 2000 }, (_, n): Condition => ({ op: 'not', of: { op: 'last-updated', lt: n } }));
  expect(await isInMemory(record, { op: 'and', of })).toBe(false);
});

it('searches by SQL when the resources have too many values', async () => {
  const record = test.newRecord();
  const terms = Array.from({ length: 100_000 }, (_, n) => `item ${n}`);
  const large = { typeCode: OBSERVATION, ...content('"n":0', { terms, ranges: [] }) };
  await record.write(Array.from({ length: 10 }, () => ({ ...large, id: newId() })));
  await loadIntoMemory(record, [OBSERVATION]);
  await record.write(Array.from({ length: 11 }, () => ({ ...large, id: newId() })));
  expect(await record.search.count([OBSERVATION], { op: 'any-term', terms: ['item 7'] })).toBe(21);
  for (let n = 0; n < 5; n++) expect(await isInMemory(record)).toBe(false);
});

it('searches a small type by SQL', async () => {
  const { userId, clientId } = test.newRecord();
  const record = other.record(userId, clientId);
  await record.create(OBSERVATION, newId(), content('"n":0'));
  for (let n = 0; n < 5; n++) expect(await isInMemory(record)).toBe(false);
});

it.each(['force_custom_plan', 'force_generic_plan'])(
  'reads no changes of other records, even when few are expected (%s)',
  async (planCacheMode) => {
    const { pool, close } = await openTestStorage();
    const client = await pool.connect();
    /** Blocks and deletions of 200 users at these times. */
    const write = (from: number, to: number) =>
      client.query(
        `WITH written AS (SELECT u, t, gen_random_uuid() AS id FROM generate_series(1, 200) u, generate_series($2::bigint, $3) t),
        blocks AS (
          INSERT INTO fhir_store.block (user_id, type_code, block_id, written_at, min_last_updated, max_last_updated, plain_bytes, entry_count, content)
          SELECT u, $1, t << 20, t, t, t, 1, 1, '' FROM written
        )
        INSERT INTO fhir_store.resource_history (user_id, type_code, id, version, last_updated, deleted)
        SELECT u, $1, id, 2, t, true FROM written`,
        [OBSERVATION, from, to],
      );
    await write(1, 100);
    await client.query('ANALYZE fhir_store.block, fhir_store.resource_history');
    await write(101, 110);
    await client.query(
      `SET plan_cache_mode = ${planCacheMode}; SET enable_seqscan = off; PREPARE c AS ${findChanges.text}`,
    );
    const { rows } = await client.query<{ 'QUERY PLAN': object }>(
      `EXPLAIN (FORMAT JSON) EXECUTE c (7, ${OBSERVATION}, 101, ${101 * 2 ** 20}, '{}', 51, 1000)`,
    );
    const indexes = [...JSON.stringify(rows).matchAll(/"Index Name":"(\w+)"/g)].map(([, name]) => name);
    expect(indexes.toSorted()).toEqual(['block_pkey', 'record_pkey', 'resource_history_deleted']);
    client.release(true);
    await close();
  },
);

it('numbers blocks by their commit timestamps, whatever the clock of the process says', async () => {
  const record = test.newRecord();
  const now = Date.now.bind(Date);
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
  const id = newId();
  await record.create(OBSERVATION, id, content('"n":0'));
  await record.update(OBSERVATION, id, content('"n":1'));
  await record.write([{ typeCode: OBSERVATION, id: newId(), ...content('"n":2') }]);
  clock.mockRestore();
  const { rows } = await test.pool.query<{ blocks: number; early: number }>(
    'SELECT count(*)::integer AS blocks, count(*) FILTER (WHERE block_id >> 20 < written_at)::integer AS early FROM fhir_store.block',
  );
  expect(rows).toEqual([{ blocks: 3, early: 0 }]);
});
