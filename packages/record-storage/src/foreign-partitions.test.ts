import { createDatabase, type TestDatabase } from '@tributary/test-environment';
import { Pool } from 'pg';
import { VersionConflictError } from './errors';
import type { ExportScope } from './export/export-file';
import { planExport } from './export/plan';
import { snapshotTime } from './export/snapshot-time';
import { streamFile } from './export/stream-file';
import { RecordStorage } from './record-storage';
import { recordStorageMigrations } from './schema/migrations';
import { partitionName, partitionedTables } from './schema/partitioning';
import {
  CONDITION,
  OBSERVATION,
  type TestStorage,
  bytesOf,
  content,
  newId,
  openTestStorage,
  textOf,
} from '../test/storage';

const index = { terms: ['t', 'u'], ranges: [{ name: 'date', kind: 'date' as const, low: 1, high: 2 }] };
const users = [1, 2, 3, 4, 5, 6];
const ids = users.map(newId);
const otherIds = users.map(newId);
let test: TestStorage;
let storage: RecordStorage;
let shards: TestDatabase[] = [];

const recordOf = (user: number) => storage.record(user, 'client-1');

/** What every kind of read returns about all records. */
async function everyRead(at: number): Promise<unknown> {
  const results: unknown[] = [];
  for (const [n, user] of users.entries()) {
    const record = recordOf(user);
    const id = ids[n] as string;
    results.push(await record.read(OBSERVATION, id), await record.read(CONDITION, otherIds[n] as string));
    for (const version of [1, 2, 3]) results.push(await record.readVersion(OBSERVATION, id, version));
    results.push(await record.readMany([{ typeCode: OBSERVATION, id }]));
    results.push(await record.history({ scope: 'record', limit: 10, total: true }));
    results.push(await record.history({ scope: { typeCode: OBSERVATION, id }, limit: 1 }));
    for (const where of [
      { op: 'all' as const },
      { op: 'any-term' as const, terms: ['t'] },
      { op: 'range' as const, name: 'date', kind: 'date' as const, repeats: false, high: { le: 5 } },
      { op: 'not' as const, of: { op: 'any-term' as const, terms: ['t'] } },
    ])
      results.push(
        await record.search.page({
          typeCodes: [OBSERVATION, CONDITION],
          where,
          limit: 10,
          total: true,
          order: [{ by: 'last-updated', descending: true }],
        }),
      );
    results.push(...(await exportOf({ userId: user }, at)));
  }
  return JSON.parse(JSON.stringify([...results, ...(await exportOf({ clientId: 'client-1' }, at))]));
}

async function exportOf(scope: ExportScope, at: number): Promise<string[]> {
  const texts: string[] = [];
  for (const file of await planExport(test.exported, { scope, at }))
    texts.push((await bytesOf(streamFile(test.exported, file, { encoding: 'identity' }))).toString());
  return texts;
}

/** Moves each partition into a database of its own, and leaves a foreign table in its place. */
async function moveToShards(): Promise<void> {
  const { pool } = test;
  await pool.query('CREATE EXTENSION postgres_fdw');
  // PostgreSQL refuses foreign partitions below a primary key; the tables of the shards have theirs.
  for (const table of partitionedTables)
    await pool.query(`ALTER TABLE ${table} DROP CONSTRAINT ${table.split('.').at(-1)}_pkey`);
  for (const [n, shard] of shards.entries()) {
    const there = new Pool({ connectionString: shard.url });
    for (const Migration of recordStorageMigrations()) await new Migration().up(there);
    await there.end();
    const { hostname, port, pathname, username, password } = new URL(shard.url);
    await pool.query(`
      CREATE SERVER shard_${n} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '${hostname}', port '${port}', dbname '${pathname.slice(1)}');
      CREATE USER MAPPING FOR CURRENT_USER SERVER shard_${n} OPTIONS (user '${username}', password '${decodeURIComponent(password)}')`);
    for (const table of partitionedTables) {
      const [schema, name] = table.split('.');
      const part = partitionName(table, shards.length, n);
      await pool.query(`
        ALTER TABLE ${table} DETACH PARTITION ${part};
        ALTER TABLE ${part} RENAME TO ${name}_${n}_before;
        CREATE FOREIGN TABLE ${part} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${shards.length}, REMAINDER ${n})
          SERVER shard_${n} OPTIONS (schema_name '${schema}', table_name '${name}');
        INSERT INTO ${part} SELECT * FROM ${schema}.${name}_${n}_before;
        DROP TABLE ${schema}.${name}_${n}_before`);
    }
  }
}

beforeAll(async () => {
  test = await openTestStorage({ partitions: 2 });
  storage = test.storage;
  shards = [await createDatabase(), await createDatabase()];
  for (const [n, user] of users.entries()) {
    const record = recordOf(user);
    await record.create(OBSERVATION, ids[n] as string, content('"a":1', index));
    await record.update(OBSERVATION, ids[n] as string, content('"a":2', index));
    await record.create(CONDITION, otherIds[n] as string, content('"b":1', index));
    await record.write([1, 2, 3].map((b) => ({ typeCode: CONDITION, id: newId(), ...content(`"b":${b}`) })));
    await record.delete(CONDITION, otherIds[n] as string);
  }
});
afterAll(async () => {
  await storage.close();
  await test.close();
  for (const shard of shards) await shard.drop();
});

it('reads, searches and exports the same from partitions in other databases', async () => {
  const at = await snapshotTime(test.pool);
  const before = await everyRead(at);
  await moveToShards();
  storage = new RecordStorage({ pool: test.pool, kek: test.kek });
  expect(await everyRead(at)).toEqual(before);
  // Every shard has rows.
  for (const part of shards.keys()) {
    const remote = `SELECT count(*)::integer AS n FROM ${partitionName('fhir_store.resource', shards.length, part)}`;
    expect((await test.pool.query<{ n: number }>(remote)).rows[0]?.n).toBeGreaterThan(0);
  }
});

it('creates, updates and deletes resources of existing records there, and compacts the records', async () => {
  for (const [n, user] of users.entries()) {
    const record = recordOf(user);
    const id = newId();
    await record.create(OBSERVATION, id, content('"a":1', index));
    expect(await record.update(OBSERVATION, id, content('"a":2', index), 1)).toMatchObject({ version: 2 });
    await expect(record.update(OBSERVATION, id, content('"a":3', index), 1)).rejects.toThrow(VersionConflictError);
    expect(textOf(await record.read(OBSERVATION, id))).toContain('"a":2');
    expect(await record.delete(OBSERVATION, id)).toMatchObject({ version: 3 });
    const deletion = { typeCode: OBSERVATION, id: ids[n] as string, delete: true as const };
    expect(await record.write([deletion])).toMatchObject([{ outcome: 'deleted', version: 3 }]);
    const { versions } = await record.history({ scope: { typeCode: OBSERVATION, id }, limit: 10 });
    expect(versions.map(({ version, deleted }) => [version, deleted])).toEqual([
      [3, true],
      [2, false],
      [1, false],
    ]);
  }
  const at = await snapshotTime(test.pool);
  const before = await everyRead(at);
  for (const user of users) expect((await storage.compactRecord(user)).retired).toBeGreaterThan(0);
  expect(await everyRead(at)).toEqual(before);
});

// Not so with Citus, whose distributed tables have primary keys.
it('cannot run ON CONFLICT there: first writes, batches with content and the destruction of records', async () => {
  const isRefused = { code: '42P10' };
  await expect(recordOf(77).create(OBSERVATION, newId(), content('"a":1'))).rejects.toMatchObject(isRefused);
  const upsert = { typeCode: CONDITION, id: newId(), ...content('"b":1') };
  await expect(recordOf(1).write([upsert])).rejects.toMatchObject(isRefused);
  await expect(storage.destroyRecord(1)).rejects.toMatchObject(isRefused);
});
