import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { waitUntil } from '@tributary/test-environment';
import { LocalKeyEncryptionKey } from '@tributary/key-vault';
import { Pool } from 'pg';
import { RecordKeyStore } from '../keys/record-key-store';
import { RecordKeys } from '../keys/record-keys';
import { RecordStorage } from '../record-storage';
import {
  OBSERVATION,
  type TestStorage,
  bytesOf,
  content,
  linesOf,
  newId,
  openTestStorage,
  purgeAll,
} from '../../test/storage';
import type { UserRecord } from '../user-record';
import type { CompactedRecord, RecordMaintenance } from './record-maintenance';
import { planExport } from '../export/plan';
import { snapshotTime } from '../export/snapshot-time';
import { streamFile } from '../export/stream-file';

const index = { terms: ['t'], ranges: [] };

/** All that a reader can see of a record: its history says which versions are current and which superseded. */
async function everything(record: UserRecord): Promise<unknown> {
  const found = await record.search.page({
    typeCodes: [OBSERVATION],
    where: { op: 'any-term', terms: ['t'] },
    limit: 10_000,
  });
  return {
    found: found.matches,
    history: (await record.history({ scope: 'record', limit: 10_000, total: true })).versions,
  };
}

async function createMany(record: UserRecord, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  await Promise.all(ids.map((id) => record.create(OBSERVATION, id, content('"v":1', index))));
  return ids;
}

/** Discovers and compacts until nothing is due. */
async function drain(maintenance: RecordMaintenance): Promise<CompactedRecord[]> {
  while (await maintenance.discover());
  const compacted: CompactedRecord[] = [];
  for (let next = await maintenance.compactNext(); next; next = await maintenance.compactNext()) compacted.push(next);
  return compacted;
}

describe.each([0, 3])('maintenance with %i partitions', (partitions) => {
  let test: TestStorage;
  beforeAll(async () => {
    test = await openTestStorage({ partitions });
  });
  beforeEach(() => test.clear());
  afterAll(() => test.close());

  const count = async (what: string): Promise<number> =>
    Number((await test.pool.query<{ n: string }>(`SELECT count(*) AS n FROM fhir_store.${what}`)).rows[0]?.n);

  it('finds exactly the records that were changed since the last run', async () => {
    const [a, b] = [test.newRecord(), test.newRecord()];
    const [first] = await createMany(a, 20);
    await createMany(b, 20);
    const maintenance = test.storage.maintenance();
    expect((await drain(maintenance)).map(({ userId }) => userId).toSorted((x, y) => x - y)).toEqual([
      a.userId,
      b.userId,
    ]);
    expect(await count('block WHERE retired_at IS NULL')).toBe(2);
    // Neither what was there nor what the compaction wrote comes again.
    expect(await drain(maintenance)).toEqual([]);
    await b.create(OBSERVATION, newId(), content('"v":1', index));
    expect((await drain(maintenance)).map(({ userId }) => userId)).toEqual([b.userId]);
    await a.delete(OBSERVATION, first as string);
    expect((await drain(maintenance)).map(({ userId }) => userId)).toEqual([a.userId]);
    expect(await count('compaction_queue')).toBe(0);
  });

  it('discovers in bounded steps, whatever was written in one millisecond', async () => {
    const records = Array.from({ length: 5 }, () => test.newRecord());
    for (const record of records) await createMany(record, 5);
    await test.pool.query(
      'UPDATE fhir_store.block SET written_at = 1000, min_last_updated = 1000, max_last_updated = 1000 WHERE user_id > $1',
      [records[1]?.userId],
    );
    const maintenance = test.storage.maintenance({ maxChanges: 4 });
    let steps = 1;
    while (await maintenance.discover()) steps++;
    expect(steps).toBeGreaterThanOrEqual(3);
    expect(await count('compaction_queue')).toBe(5);
  });

  it('is shared by replicas: each record is compacted by one of them', async () => {
    const records = Array.from({ length: 12 }, () => test.newRecord());
    for (const record of records) await createMany(record, 12);
    const before = await Promise.all(records.map(everything));
    const compacted = (
      await Promise.all([drain(test.storage.maintenance()), drain(test.storage.maintenance())])
    ).flat();
    expect(compacted.map(({ userId }) => userId).toSorted((x, y) => x - y)).toEqual(
      records.map(({ userId }) => userId),
    );
    expect(compacted.every(({ retired, failures }) => retired === 12 && failures === 0)).toBe(true);
    expect(await Promise.all(records.map(everything))).toEqual(before);
  });

  it('compacts a record whose lease was held by a process that died', async () => {
    const record = test.newRecord();
    await createMany(record, 12);
    const died = test.storage.maintenance({ leaseMs: 1_000_000 });
    while (await died.discover());
    let open: (() => void) | undefined;
    const isOpen = new Promise<void>((resolve) => (open = resolve));
    const find = jest
      .spyOn(RecordKeyStore.prototype, 'find')
      .mockImplementationOnce(() => isOpen.then(() => Promise.reject(new Error('killed'))));
    const hanging = died.compactNext();
    await waitUntil(() => find.mock.calls.length > 0);
    find.mockRestore();
    expect(await test.storage.maintenance().compactNext()).toBeUndefined();
    await test.pool.query('UPDATE fhir_store.compaction_queue SET due_at = 0');
    expect(await test.storage.maintenance().compactNext()).toMatchObject({
      userId: record.userId,
      retired: 12,
      failures: 0,
    });
    // One that was only slow changes nothing any more.
    await record.create(OBSERVATION, newId(), content('"v":1', index));
    while (await died.discover());
    open?.();
    await hanging;
    expect(await test.storage.maintenance().waiting()).toEqual({ records: 1, failing: 0 });
  });

  it('repeats the compaction of a record that changes meanwhile', async () => {
    const record = test.newRecord();
    await createMany(record, 12);
    const maintenance = test.storage.maintenance();
    while (await maintenance.discover());
    const original = RecordKeys.prototype.openBlock;
    let created: Promise<unknown> | undefined;
    const open = jest.spyOn(RecordKeys.prototype, 'openBlock').mockImplementation(function (
      this: RecordKeys,
      ...parameters
    ) {
      created ??= createMany(record, 12).then(() => maintenance.discover());
      return original.apply(this, parameters);
    });
    try {
      await maintenance.compactNext();
    } finally {
      open.mockRestore();
    }
    await created;
    await drain(maintenance);
    expect(await count('compaction_queue')).toBe(0);
    // How many blocks there are depends on which creates each of the compactions has seen.
    expect(await test.storage.compactRecord(record.userId)).toEqual({ retired: 0, written: 0 });
  });

  it('compacts a record again that changes while its compaction ends', async () => {
    const record = test.newRecord();
    await createMany(record, 12);
    const maintenance = test.storage.maintenance();
    while (await maintenance.discover());
    const change = await test.pool.connect();
    const find = jest.spyOn(RecordKeyStore.prototype, 'find').mockImplementationOnce(async () => {
      await change.query('BEGIN; UPDATE fhir_store.compaction_queue SET changed = true');
      return undefined;
    });
    try {
      const compaction = maintenance.compactNext();
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await waitUntil(async () => (await test.pool.query(waiting)).rowCount === 1);
      await change.query('COMMIT');
      await compaction;
    } finally {
      find.mockRestore();
      change.release(true);
    }
    expect(await maintenance.compactNext()).toMatchObject({ userId: record.userId, retired: 12 });
  });

  it('leaves out an unreadable block, goes on with the others, and tries again later', async () => {
    const [bad, good] = [test.newRecord(), test.newRecord()];
    await createMany(bad, 12);
    await createMany(good, 12);
    await test.pool.query(
      `UPDATE fhir_store.block SET content = $1 WHERE block_id = (SELECT min(block_id) FROM fhir_store.block WHERE user_id = $2)`,
      [randomBytes(300), bad.userId],
    );
    const maintenance = test.storage.maintenance();
    const compacted = await drain(maintenance);
    expect(compacted.find(({ userId }) => userId === bad.userId)).toMatchObject({
      retired: 11,
      failures: 1,
      unreadable: [{ typeCode: OBSERVATION }],
    });
    expect(compacted.find(({ userId }) => userId === good.userId)).toMatchObject({ retired: 12, failures: 0 });
    expect(await maintenance.waiting()).toEqual({ records: 1, failing: 1 });
    // The pause grows.
    const due = async (): Promise<number> => {
      const { rows } = await test.pool.query<{ ms: string }>(
        `SELECT due_at - floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms FROM fhir_store.compaction_queue`,
      );
      return Number(rows[0]?.ms);
    };
    expect(await due()).toBeLessThanOrEqual(60_000);
    for (const failures of [2, 11]) {
      await createMany(bad, 4);
      await test.pool.query('UPDATE fhir_store.compaction_queue SET due_at = 0, failures = $1', [failures - 1]);
      expect(await drain(maintenance)).toEqual([expect.objectContaining({ failures })]);
    }
    expect(await due()).toBeGreaterThan(60_000);
    expect(await due()).toBeLessThanOrEqual(6 * 3600 * 1000);
  });

  it('leaves out a block with an entry that no version refers to', async () => {
    const record = test.newRecord();
    const [lost] = await createMany(record, 12);
    await test.pool.query('DELETE FROM fhir_store.resource WHERE id = $1', [lost]);
    const [compacted] = await drain(test.storage.maintenance());
    expect(compacted).toMatchObject({ retired: 11, unreadable: [{ typeCode: OBSERVATION }] });
    expect(await count('block WHERE retired_at IS NULL')).toBe(2);
  });

  it('goes on with other records when the key of a client is wrapped by a key-encryption key that is not there', async () => {
    const record = test.newRecord();
    await createMany(record, 12);
    const other = new RecordStorage({ pool: test.pool, kek: test.kek });
    await createMany(other.record(1000, 'foreign client'), 12);
    await other.close();
    await test.pool.query(`UPDATE fhir_store_keys.client_key SET wrapped_key = $1 WHERE client_id = 'foreign client'`, [
      await new LocalKeyEncryptionKey([randomBytes(32)]).wrap(randomBytes(32), 'client foreign client'),
    ]);
    const compacted = await drain(test.storage.maintenance());
    expect(compacted.find(({ userId }) => userId === 1000)).toMatchObject({ failures: 1, error: expect.any(Error) });
    expect(compacted.find(({ userId }) => userId === record.userId)).toMatchObject({ retired: 12 });
    expect(await purgeAll(test.storage, 4e12)).toBe(12);
  });

  it('drops a record from the queue that is destroyed meanwhile', async () => {
    const record = test.newRecord();
    await createMany(record, 12);
    const maintenance = test.storage.maintenance();
    while (await maintenance.discover());
    await test.storage.destroyRecord(record.userId);
    expect(await drain(maintenance)).toEqual([
      expect.objectContaining({ userId: record.userId, retired: 0, failures: 0 }),
    ]);
    expect(await count('compaction_queue')).toBe(0);
  });
});

describe.each([0, 3])('maintenance with %i partitions that is killed', (partitions) => {
  // A round mostly waits for snapshots, so rounds run side by side, each in a database of its own.
  let tests: TestStorage[];
  beforeAll(async () => {
    tests = await Promise.all(Array.from({ length: partitions > 0 ? 2 : 4 }, () => openTestStorage({ partitions })));
  });
  afterAll(() => Promise.all(tests.map((test) => test.close())));

  it('before any of its statements is completed by the next run', async () => {
    let [next, isFinished] = [0, false];
    const rounds = async (test: TestStorage): Promise<void> => {
      while (!isFinished) {
        const survived = next;
        // Each round takes a while: with partitions some statements are enough.
        next += partitions > 0 ? 7 : 1;
        expect(survived).toBeLessThan(60);
        if (await round(test, survived)) isFinished = true;
      }
    };
    await Promise.all(tests.map(rounds));
  });

  /** @returns whether the work was done before the process was killed */
  async function round(test: TestStorage, survived: number): Promise<boolean> {
    const record = test.newRecord();
    const [first] = await createMany(record, 9);
    await record.update(OBSERVATION, first as string, content('"v":2', index));
    const before = await everything(record);
    const isDone = await isDoneBeforeKilledAfter(test, survived);
    expect(await everything(record)).toEqual(before);
    await test.pool.query('UPDATE fhir_store.compaction_queue SET due_at = 0');
    const maintenance = test.storage.maintenance();
    await drain(maintenance);
    expect(await maintenance.waiting()).toEqual({ records: 0, failing: 0 });
    expect(await everything(record)).toEqual(before);
    const { rows } = await test.pool.query(
      'SELECT entry_count, history FROM fhir_store.block WHERE user_id = $1 AND retired_at IS NULL ORDER BY 2',
      [record.userId],
    );
    expect(rows).toEqual([
      { entry_count: 9, history: false },
      { entry_count: 1, history: true },
    ]);
    const file = await planExport(test.exported, {
      scope: { userId: record.userId },
      at: await snapshotTime(test.pool),
    });
    expect(linesOf(await bytesOf(streamFile(test.exported, file[0] as never, { encoding: 'identity' })))).toHaveLength(
      9,
    );
    return isDone;
  }

  /**
   * Does the work of maintenance in a process that is killed after it has sent this number of statements.
   * @returns whether the work ended before
   */
  async function isDoneBeforeKilledAfter(test: TestStorage, statements: number): Promise<boolean> {
    const pool = new Pool(test.pool.options);
    let sent = 0;
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
      const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
      client.query = ((...parameters: unknown[]) => {
        if (sent++ >= statements) (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
        return query(...parameters);
      }) as never;
    });
    pool.on('error', () => undefined);
    const storage = new RecordStorage({ pool, kek: test.kek });
    try {
      await drain(storage.maintenance());
      return sent <= statements;
    } catch {
      return false;
    } finally {
      await storage.close();
      await pool.end();
    }
  }
});
