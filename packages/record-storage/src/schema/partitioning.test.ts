import { waitUntil } from '@tributary/test-environment';
import { Client } from 'pg';
import { CONDITION, OBSERVATION, type TestStorage, bytesOf, content, newId, openTestStorage } from '../../test/storage';
import type { UserRecord } from '../user-record';
import { countPartitions, partitionRecords } from './partitioning';
import { readDeletions } from '../export/deletions';
import { planExport } from '../export/plan';
import { snapshotTime } from '../export/snapshot-time';
import { streamFile } from '../export/stream-file';

const index = { terms: ['t'], ranges: [{ name: 'date', kind: 'date' as const, low: 1, high: 2 }] };
let test: TestStorage;
beforeEach(async () => {
  test = await openTestStorage();
});
afterEach(() => test.close());

/** Everything that readers and exports see of the records. */
async function everything(records: readonly UserRecord[], at: number): Promise<unknown> {
  const ofRecords = await Promise.all(
    records.map(async (record) => ({
      found: await record.search.page({
        typeCodes: [OBSERVATION, CONDITION],
        where: { op: 'any-term', terms: ['t'] },
        limit: 1000,
        total: true,
      }),
      dated: await record.search.count([OBSERVATION], {
        op: 'range',
        name: 'date',
        kind: 'date',
        repeats: false,
        low: { ge: 0 },
      }),
      history: await record.history({ scope: 'record', limit: 1000, total: true }),
    })),
  );
  const files = await planExport(test.exported, { scope: { clientId: 'client-1' }, at });
  const exported = await Promise.all(
    files.map(async (file) => (await bytesOf(streamFile(test.exported, file, { encoding: 'identity' }))).toString()),
  );
  const deletions: unknown[] = [];
  for await (const some of readDeletions(test.exported, { scope: { clientId: 'client-1' }, at }))
    deletions.push(...some);
  return { ofRecords, files, exported, deletions };
}

/** The definitions of tables, columns, constraints, indexes and privileges; names of partitions left out. */
async function schema(): Promise<unknown> {
  const queries = [
    `SELECT attrelid::regclass::text, attname, format_type(atttypid, atttypmod), attnotnull, attstorage, pg_get_expr(adbin, adrelid)
      FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      WHERE relnamespace = ANY ('{fhir_store,fhir_store_keys}'::regnamespace[]) AND relkind IN ('r', 'p') AND NOT relispartition AND attnum > 0
      ORDER BY attrelid::regclass::text, attnum`,
    `SELECT conrelid::regclass::text, conname, pg_get_constraintdef(c.oid) FROM pg_constraint c JOIN pg_class r ON r.oid = conrelid
      WHERE connamespace = ANY ('{fhir_store,fhir_store_keys}'::regnamespace[]) AND NOT relispartition AND contype <> 'n' ORDER BY 1, 2`,
    `SELECT indexrelid::regclass::text, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') FROM pg_index i JOIN pg_class r ON r.oid = indrelid
      WHERE relnamespace = ANY ('{fhir_store,fhir_store_keys}'::regnamespace[]) AND NOT relispartition ORDER BY 1`,
    `SELECT oid::regclass::text, (SELECT array_agg(a::text ORDER BY a::text) FROM unnest(relacl) a) FROM pg_class
      WHERE relnamespace = ANY ('{fhir_store,fhir_store_keys}'::regnamespace[]) AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`,
  ];
  return Promise.all(queries.map(async (text) => (await test.pool.query({ text, rowMode: 'array' })).rows));
}

async function partition(partitions: number): Promise<void> {
  const client = new Client({ connectionString: test.pool.options.connectionString });
  await client.connect();
  try {
    await partitionRecords(client, partitions);
  } finally {
    await client.end();
  }
}

async function fill(): Promise<UserRecord[]> {
  const records = Array.from({ length: 8 }, () => test.newRecord());
  for (const record of records) {
    const ids = Array.from({ length: 30 }, newId);
    await record.write(
      ids.map((id, n) => ({ typeCode: n % 2 ? OBSERVATION : CONDITION, id, ...content(`"n":${n}`, index) })),
    );
    for (const id of ids.filter((_, n) => n % 6 === 1)) await record.update(OBSERVATION, id, content('"n":-1', index));
    await record.delete(CONDITION, ids[0] as string);
    for (let n = 0; n < 5; n++) await record.create(OBSERVATION, newId(), content('"n":0', index));
  }
  await test.storage.compactRecord(records[0]?.userId as number);
  await test.storage.destroyRecord(records.at(-1)?.userId as number);
  return records;
}

it('moves existing records into partitions, into others and back, without a visible change', async () => {
  await test.pool.query(`DROP ROLE IF EXISTS partitioning_reader_${process.pid}`);
  await test.pool.query(
    `CREATE ROLE partitioning_reader_${process.pid}; GRANT SELECT ON fhir_store.block TO partitioning_reader_${process.pid}, PUBLIC`,
  );
  try {
    const records = await fill();
    const at = await snapshotTime(test.pool);
    const [before, definitions] = [await everything(records, at), await schema()];
    for (const partitions of [5, 3, 0]) {
      await partition(partitions);
      expect(await countPartitions(test.pool as never)).toBe(partitions);
      expect(await everything(records, at)).toEqual(before);
      expect(await schema()).toEqual(definitions);
      const { rows } = await test.pool.query<{ n: number; external: boolean; settings: string[] | null }>(
        `SELECT count(*)::integer AS n, bool_and(attstorage = 'e') AS external, min(reloptions::text) AS settings FROM pg_class c JOIN pg_attribute ON attrelid = c.oid AND attname = 'content'
          WHERE relnamespace = 'fhir_store'::regnamespace AND relkind = 'r'`,
      );
      // A destroyed key leaves its page soon.
      const keys = await test.pool.query<{ n: number }>(
        `SELECT count(*)::integer AS n FROM pg_class WHERE relnamespace = 'fhir_store_keys'::regnamespace AND relkind = 'r' AND relname LIKE 'record\\_key%'
          AND reloptions @> '{autovacuum_vacuum_threshold=1,autovacuum_vacuum_scale_factor=0}'`,
      );
      expect(keys.rows).toEqual([{ n: partitions || 1 }]);
      expect(rows).toEqual([{ n: partitions || 1, external: true, settings: expect.stringContaining('autovacuum') }]);
    }
    await expect(partition(0)).rejects.toThrow(RangeError);
    // And everything goes on.
    const [record] = records as [UserRecord];
    const { version } = await record.update(OBSERVATION, newId(), content('"n":7', index));
    expect(version).toBe(1);
    await test.storage.compactRecord(record.userId);
  } finally {
    await test.pool.query(
      `DROP OWNED BY partitioning_reader_${process.pid}; DROP ROLE partitioning_reader_${process.pid}`,
    );
  }
});

it('blocks writers and loses none of their writes', async () => {
  const records = await fill();
  const [record] = records as [UserRecord];
  const written: string[] = [];
  let isRunning = true;
  const writers = Array.from({ length: 4 }, async () => {
    while (isRunning) {
      const id = newId();
      await record.create(OBSERVATION, id, content('"n":9', index));
      written.push(id);
    }
  });
  await waitUntil(() => written.length >= 20);
  await partition(4);
  const soFar = written.length;
  await waitUntil(() => written.length >= soFar + 20);
  isRunning = false;
  await Promise.all(writers);
  const found = await record.readMany(written.map((id) => ({ typeCode: OBSERVATION, id })));
  expect(found.map(({ id }) => id).toSorted()).toEqual(written.toSorted());
});

it('changes nothing when it is interrupted', async () => {
  const records = await fill();
  const at = await snapshotTime(test.pool);
  const before = await everything(records, at);
  const client = new Client({ connectionString: test.pool.options.connectionString });
  client.on('error', () => undefined);
  await client.connect();
  const query = client.query.bind(client) as (...parameters: unknown[]) => Promise<unknown>;
  let inserted = 0;
  client.query = (async (...parameters: unknown[]) => {
    if (String(parameters[0]).startsWith('INSERT') && ++inserted === 3)
      (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    return query(...parameters);
  }) as never;
  await expect(partitionRecords(client, 4)).rejects.toThrow();
  expect(await countPartitions(test.pool as never)).toBe(0);
  expect(await everything(records, at)).toEqual(before);
});
