import { randomBytes } from 'node:crypto';
import { LocalKeyEncryptionKey } from '@tributary/key-vault';
import { RecordDestroyedError } from '../errors';
import { RecordStorage } from '../record-storage';
import { OBSERVATION, type TestStorage, content, newId, openTestStorage } from '../../test/storage';

const dataTables = ['record', 'resource', 'resource_history', 'block'].map((table) => `fhir_store.${table}`);
const keyTables = ['client_key', 'record_key'].map((table) => `fhir_store_keys.${table}`);

describe.each([0, 3])('with %i partitions', (partitions) => {
  let test: TestStorage;
  const started: RecordStorage[] = [];
  beforeAll(async () => {
    test = await openTestStorage({ partitions });
  });
  beforeEach(() => test.clear());
  afterEach(() => Promise.all(started.splice(0).map((storage) => storage.close())));
  afterAll(() => test.close());

  /** Another process, as after a start: with nothing in memory. */
  async function restarted(kek = test.kek): Promise<RecordStorage> {
    const storage = new RecordStorage({ pool: test.pool, kek });
    started.push(storage);
    await storage.assertKekMatches();
    await storage.reconcileDestroyed();
    expect((await storage.finishDestructions()).left).toBe(0);
    return storage;
  }

  /** Copies tables, as a dump of them does; the answer puts them back. */
  async function backup(tables: readonly string[]): Promise<() => Promise<void>> {
    const copies = tables.map((table) => [table, `public.copy_${randomBytes(6).toString('hex')}`] as const);
    for (const [table, copy] of copies) await test.pool.query(`CREATE TABLE ${copy} AS TABLE ${table}`);
    return async () => {
      for (const [table, copy] of copies)
        await test.pool.query(`TRUNCATE ${table}; INSERT INTO ${table} SELECT * FROM ${copy}`);
    };
  }

  const rowsOf = async (userId: number): Promise<number> => {
    const counts = dataTables.slice(1).map((table) => `(SELECT count(*) FROM ${table} WHERE user_id = ${userId})`);
    return Number((await test.pool.query<{ rows: string }>(`SELECT ${counts.join(' + ')} AS rows`)).rows[0]?.rows);
  };

  async function twoRecords(): Promise<{ gone: number; kept: number; id: string }> {
    const [gone, kept] = [test.newRecord(), test.newRecord()];
    const id = newId();
    for (const record of [gone, kept]) {
      await record.create(OBSERVATION, id, content('"a":1'));
      await record.update(OBSERVATION, id, content('"a":2'));
    }
    return { gone: gone.userId, kept: kept.userId, id };
  }

  async function expectOnlyKept(
    storage: RecordStorage,
    { gone, kept, id }: { gone: number; kept: number; id: string },
  ): Promise<void> {
    expect(await storage.record(gone, 'client-1').read(OBSERVATION, id)).toBeUndefined();
    await expect(storage.record(gone, 'client-1').create(OBSERVATION, newId(), content('"a":1'))).rejects.toThrow(
      RecordDestroyedError,
    );
    expect(await rowsOf(gone)).toBe(0);
    expect(await storage.record(kept, 'client-1').read(OBSERVATION, id)).toMatchObject({ version: 2 });
  }

  it('no file of the records holds a key', async () => {
    const { rows } = await test.pool.query(
      `SELECT attname FROM pg_attribute WHERE attrelid = 'fhir_store.record'::regclass AND attname LIKE '%key%'`,
    );
    expect(rows).toEqual([]);
    const { rows: left } = await test.pool.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'fhir_store'::regnamespace AND relname LIKE '%key%' AND relkind IN ('r', 'p') `,
    );
    expect(left).toEqual([]);
  });

  it('a backup of the records that is older than a destruction brings nothing back', async () => {
    const records = await twoRecords();
    const restore = await backup(dataTables);
    await test.storage.destroyRecord(records.gone);
    await restore();
    expect(await rowsOf(records.gone)).toBeGreaterThan(0);
    const unready = new RecordStorage({ pool: test.pool, kek: test.kek });
    started.push(unready);
    expect(await unready.record(records.gone, 'client-1').read(OBSERVATION, records.id)).toBeUndefined();
    await expectOnlyKept(await restarted(), records);
  });

  it('a backup of keys and records that is older than a destruction brings nothing back once the list of destructions is replayed', async () => {
    const records = await twoRecords();
    const restore = await backup([...dataTables, ...keyTables]);
    await test.storage.destroyRecord(records.gone);
    const list = await test.storage.destroyedRecords(0, 10);
    expect(list.map(({ userId }) => userId)).toEqual([records.gone]);
    await restore();
    const storage = await restarted();
    expect(await storage.record(records.gone, 'client-1').read(OBSERVATION, records.id)).toBeDefined();
    await storage.destroyRecords(list.map(({ userId }) => userId));
    await expectOnlyKept(storage, records);
    await expectOnlyKept(await restarted(), records);
  });

  it('a backup of the keys that is older than a destruction brings no key back', async () => {
    const records = await twoRecords();
    const restore = await backup(keyTables);
    await test.storage.destroyRecord(records.gone);
    await restore();
    await expectOnlyKept(await restarted(), records);
    const { rows } = await test.pool.query('SELECT wrapped_key FROM fhir_store_keys.record_key WHERE user_id = $1', [
      records.gone,
    ]);
    expect(rows).toEqual([{ wrapped_key: null }]);
  });

  it('a record that is newer than the backup of the records is empty and can be written', async () => {
    const restore = await backup(dataTables);
    const { kept, id } = await twoRecords();
    await restore();
    const storage = await restarted();
    expect(await storage.record(kept, 'client-1').read(OBSERVATION, id)).toBeUndefined();
    await storage.record(kept, 'client-1').create(OBSERVATION, id, content('"a":3'));
    expect(await storage.record(kept, 'client-1').read(OBSERVATION, id)).toMatchObject({ version: 1 });
  });

  it('a record whose key is missing is neither read nor written nor deleted', async () => {
    const { gone, kept, id } = await twoRecords();
    const restore = await backup(keyTables);
    await test.pool.query('DELETE FROM fhir_store_keys.record_key WHERE user_id = $1', [gone]);
    const storage = await restarted();
    const missing: number[] = [];
    for await (const userId of storage.recordsWithoutKey()) missing.push(userId);
    expect(missing).toEqual([gone]);
    expect(await storage.record(gone, 'client-1').read(OBSERVATION, id)).toBeUndefined();
    await expect(storage.record(gone, 'client-1').create(OBSERVATION, newId(), content('"a":1'))).rejects.toThrow(
      RecordDestroyedError,
    );
    await restore();
    for (const userId of [gone, kept])
      expect(await (await restarted()).record(userId, 'client-1').read(OBSERVATION, id)).toMatchObject({ version: 2 });
  });

  it('a record with more rows than one statement deletes leaves none', async () => {
    const record = test.newRecord();
    const large = Array.from({ length: 5100 }, () => ({ typeCode: OBSERVATION, id: newId(), ...content('"a":1') }));
    for (let from = 0; from < large.length; from += 1700) await record.write(large.slice(from, from + 1700));
    await Promise.all([0, 1, 2].map(() => test.storage.destroyRecord(record.userId)));
    expect(await rowsOf(record.userId)).toBe(0);
  });

  it('an interrupted destruction is completed', async () => {
    const records = await twoRecords();
    const storage = new RecordStorage({
      pool: test.pool,
      kek: test.kek,
      deleteDependentRows: () => Promise.reject(new Error('cut off')),
    });
    started.push(storage);
    await expect(storage.destroyRecord(records.gone)).rejects.toThrow('cut off');
    expect(await rowsOf(records.gone)).toBeGreaterThan(0);
    await expectOnlyKept(await restarted(), records);
  });

  it('a wrong key-encryption key and missing keys are detected at the start', async () => {
    await restarted(new LocalKeyEncryptionKey([randomBytes(32)]));
    await twoRecords();
    const wrong = new LocalKeyEncryptionKey([randomBytes(32)]);
    await expect(restarted(wrong)).rejects.toThrow(/key-encryption key opens none/);
    // Nothing is written either when the check at the start was forgotten.
    const unchecked = new RecordStorage({ pool: test.pool, kek: wrong });
    started.push(unchecked);
    await expect(
      unchecked.record(1_000_000, 'a new client').create(OBSERVATION, newId(), content('"a":1')),
    ).rejects.toThrow(/key-encryption key opens none/);
    const { rows } = await test.pool.query(
      `SELECT (SELECT count(*)::int FROM fhir_store_keys.client_key WHERE client_id = 'a new client') AS keys,
        (SELECT count(*)::int FROM fhir_store.record WHERE user_id = 1000000) AS records`,
    );
    expect(rows).toEqual([{ keys: 0, records: 0 }]);
    await restarted();
    for (const table of keyTables.toReversed()) {
      await test.pool.query(`TRUNCATE ${table}`);
      await expect(restarted()).rejects.toThrow(/lacks the keys/);
    }
  });
});
