import { randomUUID } from 'node:crypto';
import { type TestRole, createRole } from '@tributary/test-environment';
import { Client } from 'pg';
import { AuditDatabase, roleOf } from '../../test/audit-database';
import { createAuditSchema } from './audit-schema';

let audit: AuditDatabase;
beforeAll(async () => {
  audit = await AuditDatabase.create();
});
afterAll(() => audit.drop());

async function as(role: TestRole, sql: string, values: unknown[] = []): Promise<void> {
  const client = new Client({ connectionString: role.url });
  await client.connect();
  try {
    await client.query(sql, values);
  } finally {
    await client.end();
  }
}

/** A stream of the writer. */
async function newStream(): Promise<string> {
  const streamId = randomUUID();
  await as(
    audit.writer,
    `INSERT INTO audit.stream (stream_id, service, instance, started_at, key_wrapped, key_id, version)
     VALUES ($1, 'auth', 'host 1', now(), '', 'key', '1')`,
    [streamId],
  );
  return streamId;
}

/** A year whose months have no partition, because no block of it is new, and can have one. */
const oldYear = new Date().getUTCFullYear() - 9;

it('lets a role begin so many streams within an hour that those who read the log take them', async () => {
  const role = await createRole(audit.database, 'audit');
  await createAuditSchema(audit.superuser, {
    writers: [roleOf(audit.writer), roleOf(role)],
    reader: roleOf(audit.reader),
  });
  const insert = (count: number): Promise<unknown> =>
    as(
      role,
      `INSERT INTO audit.stream (stream_id, service, instance, started_at, key_wrapped, key_id, version)
       SELECT gen_random_uuid(), 'auth', 'host 1', now(), '', 'key', '1' FROM generate_series(1, $1)`,
      [count],
    );
  await insert(5000);
  await expect(insert(1)).rejects.toThrow('the role has begun too many streams within an hour');
  await newStream();
  await audit.superuser.query(
    `UPDATE audit.stream SET written_at = written_at - interval '1 hour' WHERE written_by = $1`,
    [roleOf(role)],
  );
  await insert(1);
  await audit.superuser.query('DELETE FROM audit.stream WHERE written_by = $1', [roleOf(role)]);
  await audit.superuser.query(`DROP OWNED BY ${roleOf(role)}`);
  await role.drop();
});

it('makes no partition for the months of a clock that is far off, of which a service can insert any number', async () => {
  const streamId = await newStream();
  await as(
    audit.writer,
    `INSERT INTO audit.block (stream_id, sequence, started_at, events, keys, previous, content, hash)
     SELECT $1, month, timestamptz '1970-01-01Z' + month * interval '1 month', 1, '{1}', $2, '', $2 FROM generate_series(0, 95990) AS month`,
    [streamId, Buffer.alloc(32)],
  );
  const partitionCount = async (): Promise<number> => {
    await as(audit.reader, 'SELECT audit.create_partitions()');
    const { rows } = await audit.superuser.query<{ partitions: number }>(
      `SELECT count(*)::int AS partitions FROM pg_inherits WHERE inhparent = 'audit.block'::regclass`,
    );
    return rows[0]!.partitions;
  };
  // Each call makes as many as it can within a second.
  let [before, partitions] = [0, await partitionCount()];
  while (partitions > before) [before, partitions] = [partitions, await partitionCount()];
  // Ten years before this month, a year after it, the default one.
  expect(partitions).toBeGreaterThan(120);
  expect(partitions).toBeLessThan(137);
  await audit.superuser.query(`DELETE FROM audit.block;
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'audit.block'::regclass
        AND inhrelid <> 'audit.block_default'::regclass LOOP EXECUTE 'DROP TABLE ' || name;
      END LOOP;
    END $$;
    SELECT audit.create_partitions()`);
});

it('does not make others wait until very many blocks of a month were moved, nor fails for one that no process writes', async () => {
  const streamId = await newStream();
  const insertAt = (month: string, count: number): Promise<unknown> =>
    as(
      audit.writer,
      `INSERT INTO audit.block (stream_id, sequence, started_at, events, keys, previous, content, hash)
       SELECT $1, number, $2::timestamptz + number * interval '1 ms', 1, '{1}', $3, '', $3 FROM generate_series(1, $4) AS number`,
      [streamId, `${oldYear}-${month}-03Z`, Buffer.alloc(32), count],
    );
  for (const [month, count] of [
    ['07', 20_001],
    ['08', 15_000],
    ['09', 15_000],
    ['10', 10],
    ['11', 10],
  ] as const)
    await insertAt(month, count);
  await audit.superuser.query(`ALTER TABLE audit.block DROP CONSTRAINT block_is_well_formed;
    UPDATE audit.block SET events = -1 WHERE started_at = '${oldYear}-10-03T00:00:00.001Z';
    ALTER TABLE audit.block ADD CONSTRAINT block_is_well_formed CHECK (events >= 0) NOT VALID`);
  const made = async (): Promise<string[]> => {
    await as(audit.reader, 'SELECT audit.create_partitions()');
    const { rows } = await audit.superuser.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'audit'::regnamespace AND relkind = 'r' AND relname LIKE 'block_${oldYear}_%' ORDER BY 1`,
    );
    return rows.map(({ name }) => name.slice(-2));
  };
  // The next call has room for the month that the first one had to leave.
  expect(await made()).toEqual(['08', '11']);
  expect(await made()).toEqual(['08', '09', '11']);
  expect(await made()).toEqual(['08', '09', '11']);
  await audit.superuser
    .query(`DELETE FROM audit.block; DROP TABLE ${['08', '09', '11'].map((month) => `audit.block_${oldYear}_${month}`).join()};
    ALTER TABLE audit.block DROP CONSTRAINT block_is_well_formed;`);
});

it('takes a limited number of blocks of wrong clocks outside of the months that have partitions', async () => {
  const streamId = await newStream();
  const insertAt = (at: string, from: number, to: number): Promise<unknown> =>
    as(
      audit.writer,
      `INSERT INTO audit.block (stream_id, sequence, started_at, events, keys, previous, content, hash)
       SELECT $1, number, $2::timestamptz, 1, '{1}', $3, decode(repeat('00', 1500), 'hex'), $3 FROM generate_series($4::int, $5) AS number`,
      [streamId, at, Buffer.alloc(32), from, to],
    );
  // Tests before have left it large.
  await audit.superuser.query('TRUNCATE audit.block');
  await insertAt('9000-01-01Z', 1, 20_000);
  for (const to of [70_000, 20_001])
    await expect(insertAt('9000-01-01Z', 20_001, to)).rejects.toThrow('too many blocks of wrong clocks');
  // Those of this month are taken, also when it has no partition.
  const month = `audit.block_${new Date().toISOString().slice(0, 7).replace('-', '_')}`;
  await audit.superuser.query(`ALTER TABLE audit.block DETACH PARTITION ${month}`);
  await insertAt(new Date().toISOString(), 20_001, 20_001);
  await audit.superuser.query(`TRUNCATE audit.block; DROP TABLE ${month}; SELECT audit.create_partitions()`);
});
