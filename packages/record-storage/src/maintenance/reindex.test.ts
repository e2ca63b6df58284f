import { INDEX_VERSION, type IndexValues } from '@tributary/fhir-search';
import { RecordStorage } from '../record-storage';
import { CONDITION, OBSERVATION, type TestStorage, content, newId, openTestStorage } from '../../test/storage';
import type { UserRecord } from '../user-record';
import type { RecordReindexing } from './record-reindexing';
import type { ExtractIndexValues } from './reindex-record';

/** The rules of the test: a resource is found by its member `n`, of which rows of older rules say nothing. */
const indexOf = (n: number): IndexValues => ({
  terms: [`n|${n}`, `odd|${n % 2}`],
  ranges: n % 3 ? [{ name: 'n', kind: 'number', low: n, high: n }] : [],
});
const extractIndexValues: ExtractIndexValues = (_typeCode, json) =>
  indexOf((JSON.parse(json.toString('utf8')) as { n: number }).n);
const resource = (n: number, index: IndexValues = { terms: [], ranges: [] }) =>
  content(`"n":${n},"text":"${'x'.repeat((n * 37) % 500)}"`, index);

describe.each([0, 3])('with %i partitions', (partitions) => {
  let test: TestStorage;
  beforeEach(async () => {
    test = await openTestStorage({ partitions });
  });
  afterEach(() => test.close());

  /** Makes everything that is stored look as if older rules had made it. */
  const outdate = async (): Promise<void> => {
    await test.pool.query(
      'UPDATE fhir_store.resource SET index_version = 1; UPDATE fhir_store.record SET index_version = 1',
    );
  };
  const outdated = async (): Promise<number> =>
    Number(
      (
        await test.pool.query<{ rows: string }>(
          `SELECT count(*) AS rows FROM fhir_store.resource WHERE index_version <> ${INDEX_VERSION}`,
        )
      ).rows[0]?.rows,
    );

  async function all(reindexing: RecordReindexing): Promise<number[]> {
    const users: number[] = [];
    for (let next = await reindexing.reindexNext(); next; next = await reindexing.reindexNext()) {
      expect(next.error).toBeUndefined();
      users.push(next.userId);
    }
    return users;
  }

  async function expectIndexed(record: UserRecord, values: ReadonlyMap<string, number>): Promise<void> {
    for (const [id, n] of values) {
      const { matches } = await record.search.page({
        typeCodes: [OBSERVATION, CONDITION],
        where: { op: 'any-term', terms: [`n|${n}`] },
        limit: 1000,
      });
      expect(matches.map((entry) => entry.id)).toContain(id);
      expect(
        await record.search.count([OBSERVATION, CONDITION], {
          op: 'and',
          of: [
            { op: 'id', ids: [id] },
            { op: 'has-range', name: 'n' },
          ],
        }),
      ).toBe(n % 3 ? 1 : 0);
    }
    expect(await record.search.count([OBSERVATION, CONDITION], { op: 'all' })).toBe(values.size);
  }

  it('rebuilds every row during concurrent writes and compactions', async () => {
    const record = test.newRecord();
    const ids = Array.from({ length: 150 }, newId);
    const typeCodeAt = (index: number): number => (index % 2 ? OBSERVATION : CONDITION);
    const values = new Map(ids.map((id, n) => [id, n]));
    await record.write(ids.slice(0, 120).map((id, n) => ({ typeCode: typeCodeAt(n), id, ...resource(n) })));
    for (const [n, id] of ids.entries()) if (n >= 120) await record.create(typeCodeAt(n), id, resource(n));
    await outdate();
    expect(await record.isIndexCurrent()).toBe(true);
    const other = new RecordStorage({ pool: test.pool, kek: test.kek });
    expect(await other.record(record.userId, record.clientId).isIndexCurrent()).toBe(false);

    const writing = (async () => {
      for (let n = 0; n < 40; n++) {
        const [id, index] = [ids[n * 3] as string, n * 3];
        if (n % 4 === 3) {
          await record.delete(typeCodeAt(index), id);
          values.delete(id);
        } else {
          await record.update(typeCodeAt(index), id, resource(1000 + n, indexOf(1000 + n)));
          values.set(id, 1000 + n);
        }
        if (n % 10 === 5) await test.storage.compactRecord(record.userId);
      }
    })();
    await Promise.all([
      writing,
      all(other.reindexing(extractIndexValues)),
      all(test.storage.reindexing(extractIndexValues)),
    ]);
    // A record that another write had taken at that moment is due again.
    await test.pool.query('UPDATE fhir_store.record SET reindex_leased_until = NULL');
    await all(other.reindexing(extractIndexValues));
    expect(await outdated()).toBe(0);
    expect(await other.record(record.userId, record.clientId).isIndexCurrent()).toBe(true);
    await expectIndexed(record, values);
    for (const [id] of values)
      expect(
        (await record.history({ scope: { typeCode: typeCodeAt(ids.indexOf(id)), id }, limit: 5 })).versions.length,
      ).toBeGreaterThan(0);
    await other.close();
  });

  it('assigns each record to one process', async () => {
    for (let n = 0; n < 12; n++) await test.newRecord().create(OBSERVATION, newId(), resource(n));
    await outdate();
    const shared = await Promise.all([0, 1, 2].map(() => all(test.storage.reindexing(extractIndexValues))));
    expect(shared.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n + 1));
    expect(await test.storage.reindexing(extractIndexValues).progress()).toMatchObject({
      records: 0,
      leased: 0,
      rows: 0,
    });
  });

  it('releases the lease of a record when it is aborted, and keeps the rows that are done', async () => {
    const record = test.newRecord();
    await record.write(
      Array.from({ length: 30 }, (_, n) => ({
        typeCode: n % 2 ? OBSERVATION : CONDITION,
        id: newId(),
        ...resource(n),
      })),
    );
    await outdate();
    const stopping = new AbortController();
    const first = test.storage.reindexing((typeCode, line) => {
      stopping.abort();
      return extractIndexValues(typeCode, line);
    });
    expect(await first.reindexNext(stopping.signal)).toMatchObject({ userId: record.userId });
    expect(await outdated()).toBe(15);
    expect(await test.storage.reindexing(extractIndexValues).progress()).toMatchObject({ records: 1, leased: 0 });
    expect(await all(test.storage.reindexing(extractIndexValues))).toEqual([record.userId]);
    expect(await outdated()).toBe(0);
  });

  it('goes on with other records when one cannot be read, and tries that one again later', async () => {
    const [bad, good] = [test.newRecord(), test.newRecord()];
    for (const record of [bad, good]) await record.create(OBSERVATION, newId(), resource(1));
    await outdate();
    await test.pool.query('UPDATE fhir_store.block SET content = content || $1 WHERE user_id = $2', [
      Buffer.alloc(1),
      bad.userId,
    ]);
    const reindexing = test.storage.reindexing(extractIndexValues, 1);
    expect(await reindexing.reindexNext()).toMatchObject({ userId: bad.userId, error: expect.any(Error) as Error });
    expect(await reindexing.reindexNext()).toEqual({ userId: good.userId, rows: 1 });
    expect(await reindexing.reindexNext()).toMatchObject({ userId: bad.userId });
  });
});
