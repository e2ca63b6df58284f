import { waitUntil } from '@tributary/test-environment';
import { Client, type PoolClient } from 'pg';
import { bigintArray } from '../postgres/binary-arrays';
import { databaseClock, run } from '../postgres/statement';
import { OBSERVATION, type TestStorage, content, newId, openTestStorage } from '../../test/storage';
import { insertResource } from '../write/single-write';
import { latestTime, writeTime } from '../schema/snapshot-time';
import { MAX_LEAD_MS, waitOutLead } from '../write/commit-timestamps';
import { type Snapshot, snapshotTime, takeSnapshot } from './snapshot-time';

let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage();
});
afterAll(() => test.close());

async function clock(): Promise<number> {
  const [row] = await run(test.pool, { text: `SELECT ${databaseClock}` }, []);
  return Number(row?.[0]);
}

/** Whether everything that was answered before is in the snapshot. */
function isComplete({ at, requestedAt }: Snapshot): boolean {
  return at > requestedAt + MAX_LEAD_MS;
}

/** Runs work while a transaction is open, which is rolled back then. */
async function inTransaction<T>(connection: PoolClient | Client, work: () => Promise<T>): Promise<T> {
  await connection.query('BEGIN');
  try {
    return await work();
  } finally {
    await connection.query('ROLLBACK');
  }
}

/** Sends a create that is refused when its time comes too late, until it is not. Gives its time. */
async function createIn(connection: PoolClient | Client, userId: number): Promise<number> {
  for (;;) {
    const at = (await clock()) + 20;
    const [row] = await run(connection, insertResource, [
      userId,
      at,
      OBSERVATION,
      newId(),
      String(at),
      1,
      Buffer.of(0),
      bigintArray([]),
      null,
      null,
    ]);
    if (row?.[2]) return at;
  }
}

it('is not held back by a transaction that only reads, of whatever role', async () => {
  const record = test.newRecord();
  const reader = await test.pool.connect();
  try {
    await inTransaction(reader, async () => {
      await reader.query('SELECT count(*) FROM fhir_store.resource');
      const { lastUpdated } = await record.create(OBSERVATION, newId(), content('"a":1'));
      expect(isComplete(await takeSnapshot(test.pool))).toBe(true);
      expect((await takeSnapshot(test.pool)).at).toBeGreaterThan(lastUpdated);
    });
  } finally {
    reader.release();
  }
});

it('is held back by an open write, even of another role that writes', async () => {
  const record = test.newRecord();
  await record.create(OBSERVATION, newId(), content('"a":1'));
  await test.pool.query(`CREATE ROLE second_writer LOGIN SUPERUSER PASSWORD 'of the test'`);
  const url = new URL(test.pool.options.connectionString as string);
  [url.username, url.password] = ['second_writer', encodeURIComponent('of the test')];
  const writer = new Client({ connectionString: url.href });
  await writer.connect();
  try {
    await inTransaction(writer, async () => {
      const at = await createIn(writer, record.userId);
      await record.create(OBSERVATION, newId(), content('"a":2'));
      const held = await takeSnapshot(test.pool);
      expect(isComplete(held)).toBe(false);
      expect(held.at).toBeLessThanOrEqual(at);
    });
    expect(isComplete(await takeSnapshot(test.pool))).toBe(true);
  } finally {
    await writer.end();
    await test.pool.query('DROP ROLE second_writer');
  }
});

it('is not held back by writers that wait for the lock of a record', async () => {
  const record = test.newRecord();
  await record.create(OBSERVATION, newId(), content('"a":1'));
  const holder = await test.pool.connect();
  try {
    let waiting: Promise<unknown> = Promise.resolve();
    await inTransaction(holder, async () => {
      const { rows } = await holder.query<{ pid: number }>(
        'SELECT pg_backend_pid() AS pid FROM fhir_store.record WHERE user_id = $1 FOR UPDATE',
        [record.userId],
      );
      waiting = record.write([{ typeCode: OBSERVATION, id: newId(), ...content('"a":2') }]);
      const blocked = 'SELECT FROM pg_stat_activity WHERE $1::integer = ANY (pg_blocking_pids(pid))';
      await waitUntil(async () => (await test.pool.query(blocked, [rows[0]?.pid])).rowCount);
      expect(isComplete(await takeSnapshot(test.pool))).toBe(true);
    });
    await waiting;
  } finally {
    holder.release();
  }
});

it('stays exact when the clock of the database is set back: what is written later gets no time before it', async () => {
  // In a database of its own: the floor stays ahead of the clock.
  const own = await openTestStorage();
  try {
    const record = own.newRecord();
    const id = newId();
    await record.create(OBSERVATION, id, content('"a":1'));
    // As if a snapshot had been taken by a clock that was two seconds ahead.
    const issued = (await clock()) + 2000;
    await own.pool.query(`SELECT setval('fhir_store.snapshot_floor', $1)`, [issued]);
    expect((await record.create(OBSERVATION, newId(), content('"a":2'))).lastUpdated).toBeGreaterThanOrEqual(issued);
    expect((await record.update(OBSERVATION, id, content('"a":3'))).lastUpdated).toBeGreaterThanOrEqual(issued);
    const [written] = await record.write([{ typeCode: OBSERVATION, id: newId(), ...content('"a":4') }]);
    expect(written?.lastUpdated).toBeGreaterThanOrEqual(issued);
    const { at } = await takeSnapshot(own.pool);
    expect(at).toBeGreaterThan(written?.lastUpdated as number);
  } finally {
    await own.close();
  }
});

it('contains every acknowledged write while the floor is ahead of a clock that was set back', async () => {
  const own = await openTestStorage();
  try {
    const [row] = await run(own.pool, { text: `SELECT ${databaseClock} + 3600000` }, []);
    const floor = Number(row?.[0]);
    await own.pool.query(`SELECT setval('fhir_store.snapshot_floor', $1)`, [floor]);
    const at = floor + MAX_LEAD_MS + 30;
    const start = performance.now();
    await waitOutLead(own.pool, { at, executedAt: floor });
    expect(performance.now() - start).toBeGreaterThanOrEqual(29);
    expect((await takeSnapshot(own.pool)).at).toBeGreaterThan(at);
    // A timestamp in the far future follows an earlier one: no clock reaches it soon.
    await waitOutLead(own.pool, { at: floor + 86_400_000, executedAt: floor });
  } finally {
    await own.close();
  }
});

it('is not held back below the floor by writers that began after it was raised', async () => {
  const own = await openTestStorage();
  const writer = await own.pool.connect();
  try {
    const [row] = await run(own.pool, { text: `SELECT ${databaseClock} + 3600000` }, []);
    const floor = Number(row?.[0]);
    await own.pool.query(`SELECT setval('fhir_store.snapshot_floor', $1)`, [floor]);
    await writer.query('BEGIN');
    await writer.query(`SELECT ${writeTime} FROM (SELECT ${latestTime} AS s OFFSET 0) c`);
    const held = await takeSnapshot(own.pool);
    expect([held.at, isComplete(held)]).toEqual([floor, false]);
    await writer.query('ROLLBACK');
    expect(isComplete(await takeSnapshot(own.pool))).toBe(true);
  } finally {
    writer.release();
    await own.close();
  }
});

it('never goes back below a time that writes were refused for', async () => {
  const taken = await Promise.all(Array.from({ length: 6 }, () => takeSnapshot(test.pool)));
  const { rows } = await test.pool.query<{ last_value: string }>('SELECT last_value FROM fhir_store.snapshot_floor');
  for (const { at } of taken) expect(Number(rows[0]?.last_value)).toBeGreaterThanOrEqual(at);
});

it('is waited for by exports while a writer is at work', async () => {
  const record = test.newRecord();
  await record.create(OBSERVATION, newId(), content('"a":1'));
  const writer = await test.pool.connect();
  try {
    await writer.query('BEGIN');
    await createIn(writer, record.userId);
    const { lastUpdated } = await record.create(OBSERVATION, newId(), content('"a":2'));
    // The commit ends the wait, however slow the machine is.
    const waiting = snapshotTime(test.pool, { maxWaitMs: 3_600_000 });
    await takeSnapshot(test.pool);
    await writer.query('COMMIT');
    expect(await waiting).toBeGreaterThan(lastUpdated);
  } finally {
    writer.release();
  }
});
