import { randomBytes, randomUUID } from 'node:crypto';
import { type TestDatabase, type TestRole, createDatabase, createRole, waitUntil } from '@tributary/test-environment';
import { Client } from 'pg';
import { headsOf } from '../checkpoint/checkpoint';
import { maxContentBytes, maxKeys } from '../block/block-limits';
import { createAuditSchema } from './audit-schema';

let database: TestDatabase;
let [writer, reader]: TestRole[] = [];
let superuser: Client;

beforeAll(async () => {
  database = await createDatabase();
  [writer, reader] = [await createRole(database, 'audit'), await createRole(database, 'audit')];
  superuser = new Client({ connectionString: database.url });
  await superuser.connect();
  const roles = { writers: [nameOf(writer)], reader: nameOf(reader) };
  await createAuditSchema(superuser, roles);
  await createAuditSchema(superuser, roles);
});

afterAll(async () => {
  await superuser.end();
  await database.drop();
  await writer?.drop();
  await reader?.drop();
});

function nameOf(role: TestRole | undefined): string {
  return new URL(role?.url ?? '').username;
}

async function as(role: TestRole | undefined, sql: string, values: unknown[] = []): Promise<unknown[]> {
  const client = new Client({ connectionString: role?.url ?? '' });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as unknown[];
  } finally {
    await client.end();
  }
}

const insertBlock = `INSERT INTO audit.block (stream_id, sequence, started_at, events, keys, previous, content, hash)
  VALUES ($1, $2, $3, 1, '{1}', $4, $4, $4) ON CONFLICT DO NOTHING`;

/** A stream of a role. */
async function newStream(role = writer, startedAt = new Date().toISOString()): Promise<string> {
  const streamId = randomUUID();
  await as(
    role,
    `INSERT INTO audit.stream (stream_id, service, instance, started_at, key_wrapped, key_id, version)
     VALUES ($1, 'auth', 'host 1', $2, '', 'key', '1')`,
    [streamId, startedAt],
  );
  return streamId;
}

/** A year whose months have no partition, because no block of it is new, and can have one. */
const oldYear = new Date().getUTCFullYear() - 9;

it('lets a writer insert a block, twice without effect, and PostgreSQL tell who did', async () => {
  const values = [await newStream(), 0, new Date(), randomBytes(32)];
  await as(writer, insertBlock, values);
  await as(writer, insertBlock, values);
  const rows = await as(reader, 'SELECT written_by FROM audit.block WHERE stream_id = $1', [values[0]]);
  expect(rows).toEqual([{ written_by: nameOf(writer) }]);
});

it.each([
  ['SELECT * FROM audit.block'],
  ['SELECT * FROM audit.stream'],
  ['UPDATE audit.block SET events = 2'],
  ['DELETE FROM audit.block'],
  ['TRUNCATE audit.block'],
  ['TRUNCATE audit.block_default'],
  ['DROP TABLE audit.block'],
  [`INSERT INTO audit.block (stream_id, written_by) VALUES (gen_random_uuid(), 'auth')`],
  [`INSERT INTO audit.block (stream_id, written_at) VALUES (gen_random_uuid(), now())`],
  [`INSERT INTO audit.block_default (stream_id) VALUES (gen_random_uuid())`],
  ['INSERT INTO audit.checkpoint (number) VALUES (1)'],
  ['SELECT audit.create_partitions()'],
  ['UPDATE audit.verification SET verified_at = now()'],
  ['CREATE TABLE audit.x ()'],
  ['SET ROLE audit_owner'],
])('refuses a writer %s', async (sql) => {
  await expect(as(writer, sql)).rejects.toThrow(/permission denied|must be owner/);
});

it('lets a writer insert blocks into its own streams only, so that no one takes the number of the next block', async () => {
  const streamId = await newStream();
  const values = [streamId, 1, new Date(), randomBytes(32)];
  await expect(as(reader, insertBlock, values)).rejects.toThrow(/permission denied/);
  await createAuditSchema(superuser, { writers: [nameOf(writer), nameOf(reader)], reader: nameOf(reader) });
  await expect(as(reader, insertBlock, values)).rejects.toThrow('the role has no such stream');
  await expect(as(writer, insertBlock, [randomUUID(), ...values.slice(1)])).rejects.toThrow('no such stream');
  await as(writer, insertBlock, values);
  const { rows } = await superuser.query('SELECT hash, written_by FROM audit.block WHERE stream_id = $1', [streamId]);
  expect(rows).toEqual([{ hash: values[3], written_by: nameOf(writer) }]);
  await createAuditSchema(superuser, { writers: [nameOf(writer)], reader: nameOf(reader) });
});

describe('a writer', () => {
  let streamId: string;
  beforeAll(async () => (streamId = await newStream()));
  const block = {
    sequence: '0',
    started_at: `'2026-01-01Z'`,
    events: '1',
    keys: `'{1}'`,
    hash: `decode(repeat('00', 32), 'hex')`,
    content: `''`,
  };
  const insert = (changed: Partial<typeof block>): string => {
    const { sequence, started_at: at, events, keys, hash, content } = { ...block, ...changed };
    return `INSERT INTO audit.block (stream_id, sequence, started_at, events, keys, previous, content, hash)
      VALUES ('${streamId}', ${sequence}, ${at}, ${events}, ${keys}, decode(repeat('00', 32), 'hex'), ${content}, ${hash})`;
  };

  it.each([
    ['a number below 0', { sequence: '-1' }],
    ['a number that JavaScript does not have', { sequence: '9223372036854775807' }],
    ['an infinite time', { started_at: `'infinity'` }],
    ['a time before all times', { started_at: `'-infinity'` }],
    ['a time before 1970', { started_at: `'1969-12-31Z'` }],
    ['a negative number of events', { events: '-1' }],
    ['NULL among the keys', { keys: `'{5,NULL}'` }],
    ['keys of two dimensions', { keys: `'{{1},{2}}'` }],
    ['a short hash', { hash: `'\\x00'` }],
  ])('cannot insert a block with %s', async (_what, changed) => {
    await expect(as(writer, insert(changed))).rejects.toThrow('violates check constraint "block_is_well_formed"');
  });

  it.each([
    ['more content than a reader takes', { content: `decode(repeat('00', 16777217), 'hex')` }],
    ['more keys than its events can have', { keys: `array_fill(7::bigint, ARRAY[12289])` }],
    ['a time within a millisecond', { started_at: `'2026-01-01T00:00:00.0005Z'` }],
  ])('cannot insert a block with %s', async (_what, changed) => {
    await expect(as(writer, insert(changed))).rejects.toThrow('violates check constraint "block_is_bounded"');
  });

  it('can insert the largest blocks', async () => {
    const content = `decode(repeat('00', ${maxContentBytes}), 'hex')`;
    await as(writer, insert({ content, keys: `array_fill(7::bigint, ARRAY[${maxKeys}])` }));
    await as(writer, insert({ sequence: '1', keys: `'{}'` }));
    await superuser.query('DELETE FROM audit.block WHERE stream_id = $1', [streamId]);
  });

  it.each([
    ['an infinite time', `'infinity'`, `'auth'`],
    ['a name of a book', 'now()', `repeat('a', 101)`],
  ])('cannot insert a stream with %s', async (_what, startedAt, service) => {
    const sql = `INSERT INTO audit.stream (stream_id, service, instance, started_at, key_wrapped, key_id, version)
      VALUES (gen_random_uuid(), ${service}, 'host 1', ${startedAt}, '', 'key', '1')`;
    await expect(as(writer, sql)).rejects.toThrow('violates check constraint "stream_is_well_formed"');
  });
});

it.each([
  ['UPDATE audit.block SET events = 2'],
  ['DELETE FROM audit.block'],
  ['DELETE FROM audit.checkpoint'],
  ['UPDATE audit.checkpoint SET number = 2'],
  ['TRUNCATE audit.checkpoint'],
  ['INSERT INTO audit.block (stream_id) VALUES (gen_random_uuid())'],
  ['DROP TABLE audit.block_default'],
])('refuses the reader %s', async (sql) => {
  await expect(as(reader, sql)).rejects.toThrow(/permission denied|must be owner/);
});

it('lets a role begin so many streams within an hour that those who read the log take them', async () => {
  const role = await createRole(database, 'audit');
  await createAuditSchema(superuser, { writers: [nameOf(writer), nameOf(role)], reader: nameOf(reader) });
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
  await superuser.query(`UPDATE audit.stream SET written_at = written_at - interval '1 hour' WHERE written_by = $1`, [
    nameOf(role),
  ]);
  await insert(1);
  await superuser.query('DELETE FROM audit.stream WHERE written_by = $1', [nameOf(role)]);
  await superuser.query(`DROP OWNED BY ${nameOf(role)}`);
  await role.drop();
});

describe('the retention', () => {
  const partitions = async (): Promise<string[]> => {
    const { rows } = await superuser.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit.block'::regclass AND inhrelid::regclass::text ~ '_(${oldYear}|${oldYear + 1})_'`,
    );
    return rows.map(({ name }) => name);
  };
  afterAll(() => createAuditSchema(superuser, { writers: [nameOf(writer)], reader: nameOf(reader) }));

  it('drops expired partitions, and keeps the last block of each stream and the streams with later blocks', async () => {
    await superuser.query(`
      SET ROLE audit_owner;
      CREATE TABLE audit.block_${oldYear}_11 PARTITION OF audit.block FOR VALUES FROM ('${oldYear}-11-01Z') TO ('${oldYear}-12-01Z');
      CREATE TABLE audit.block_${oldYear + 1}_01 PARTITION OF audit.block FOR VALUES FROM ('${oldYear + 1}-01-01Z') TO ('${oldYear + 1}-02-01Z');
      RESET ROLE`);
    const started = `${oldYear}-11-02Z`;
    const [ended, lasting] = [await newStream(writer, started), await newStream(writer, started)];
    const hash = randomBytes(32);
    for (const [streamId, sequence, at, last] of [
      [ended, 0, `${oldYear}-11-03Z`, randomBytes(32)],
      [ended, 1, `${oldYear}-11-04Z`, hash],
      [lasting, 0, `${oldYear}-11-05Z`, hash],
      [lasting, 1, `${oldYear + 1}-01-05Z`, hash],
    ])
      await as(writer, insertBlock, [streamId, sequence, at, last]);
    await superuser.query('UPDATE audit.stream SET written_at = started_at WHERE stream_id = ANY ($1)', [
      [ended, lasting],
    ]);
    const days = Math.floor((Date.now() - Date.UTC(oldYear + 1, 0, 2)) / 86_400_000);
    await createAuditSchema(superuser, { writers: [nameOf(writer)], reader: nameOf(reader) }, days);
    // PostgreSQL has just written them, so the clocks that their times come from were wrong.
    expect(await as(reader, 'SELECT audit.drop_expired() AS name')).toEqual([]);
    await superuser.query('UPDATE audit.block SET written_at = started_at WHERE stream_id = ANY ($1)', [
      [ended, lasting],
    ]);
    expect(await as(reader, 'SELECT audit.drop_expired() AS name')).toEqual([{ name: `block_${oldYear}_11` }]);
    expect(await as(reader, 'SELECT audit.drop_expired() AS name')).toEqual([]);
    expect(await partitions()).toEqual([`audit.block_${oldYear + 1}_01`]);
    const [retirement] = await as(reader, 'SELECT * FROM audit.retirement');
    const { heads, ...facts } = retirement as { heads: Buffer };
    expect(facts).toMatchObject({
      from_at: new Date(`${oldYear}-11-01Z`),
      to_at: new Date(`${oldYear}-12-01Z`),
      blocks: '3',
    });
    expect(new Set(headsOf({ heads })!.map((head) => JSON.stringify(head)))).toEqual(
      new Set([
        JSON.stringify({ streamId: ended, sequence: 1, hash }),
        JSON.stringify({ streamId: lasting, sequence: 0, hash }),
      ]),
    );
    const left = await as(reader, 'SELECT stream_id FROM audit.stream WHERE stream_id = ANY ($1)', [[ended, lasting]]);
    expect(left).toEqual([{ stream_id: lasting }]);
    await superuser.query(`DROP TABLE audit.block_${oldYear + 1}_01`);
  });

  it('of a month that blocks of a wrong clock have is ended again', async () => {
    const streamId = await newStream();
    await as(writer, insertBlock, [streamId, 0, `${oldYear}-11-03Z`, randomBytes(32)]);
    await superuser.query('UPDATE audit.block SET written_at = started_at WHERE stream_id = $1', [streamId]);
    const names = await as(reader, 'SELECT audit.create_partitions(), audit.drop_expired() AS name');
    expect(names).toMatchObject([{ name: `block_${oldYear}_11` }]);
    const retired = await as(
      reader,
      `SELECT partition FROM audit.retirement WHERE to_at = '${oldYear}-12-01Z' ORDER BY 1`,
    );
    expect(retired).toEqual([{ partition: `block_${oldYear}_11` }, { partition: `block_${oldYear}_11.2` }]);
  });

  it('makes partitions for all months of which there are blocks', async () => {
    const starts = [`${oldYear}-11-03Z`, `${oldYear + 1}-01-31T23:59:59.999Z`];
    const streamId = await newStream();
    for (const [sequence, at] of starts.entries())
      await as(writer, insertBlock, [streamId, sequence, at, Buffer.alloc(32)]);
    await as(reader, 'SELECT audit.create_partitions()');
    const placed = await superuser.query(
      'SELECT tableoid::regclass::text AS name FROM audit.block WHERE stream_id = $1 ORDER BY sequence',
      [streamId],
    );
    expect(placed.rows.map(({ name }: { name: string }) => name)).toEqual([
      `audit.block_${oldYear}_11`,
      `audit.block_${oldYear + 1}_01`,
    ]);
    await superuser.query(
      `DELETE FROM audit.block; DROP TABLE audit.block_${oldYear}_11, audit.block_${oldYear + 1}_01`,
    );
  });

  it('makes no partition for the months of a clock that is far off, of which a service can insert any number', async () => {
    const streamId = await newStream();
    await as(
      writer,
      `INSERT INTO audit.block (stream_id, sequence, started_at, events, keys, previous, content, hash)
       SELECT $1, month, timestamptz '1970-01-01Z' + month * interval '1 month', 1, '{1}', $2, '', $2 FROM generate_series(0, 95990) AS month`,
      [streamId, Buffer.alloc(32)],
    );
    const partitionCount = async (): Promise<number> => {
      await as(reader, 'SELECT audit.create_partitions()');
      const { rows } = await superuser.query<{ partitions: number }>(
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
    await superuser.query(`DELETE FROM audit.block;
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
        writer,
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
    await superuser.query(`ALTER TABLE audit.block DROP CONSTRAINT block_is_well_formed;
      UPDATE audit.block SET events = -1 WHERE started_at = '${oldYear}-10-03T00:00:00.001Z';
      ALTER TABLE audit.block ADD CONSTRAINT block_is_well_formed CHECK (events >= 0) NOT VALID`);
    const made = async (): Promise<string[]> => {
      await as(reader, 'SELECT audit.create_partitions()');
      const { rows } = await superuser.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'audit'::regnamespace AND relkind = 'r' AND relname LIKE 'block_${oldYear}_%' ORDER BY 1`,
      );
      return rows.map(({ name }) => name.slice(-2));
    };
    // The next call has room for the month that the first one had to leave.
    expect(await made()).toEqual(['08', '11']);
    expect(await made()).toEqual(['08', '09', '11']);
    expect(await made()).toEqual(['08', '09', '11']);
    await superuser.query(`DELETE FROM audit.block; DROP TABLE ${['08', '09', '11'].map((month) => `audit.block_${oldYear}_${month}`).join()};
      ALTER TABLE audit.block DROP CONSTRAINT block_is_well_formed;`);
  });

  it('takes a limited number of blocks of wrong clocks outside of the months that have partitions', async () => {
    const streamId = await newStream();
    const insertAt = (at: string, from: number, to: number): Promise<unknown> =>
      as(
        writer,
        `INSERT INTO audit.block (stream_id, sequence, started_at, events, keys, previous, content, hash)
         SELECT $1, number, $2::timestamptz, 1, '{1}', $3, decode(repeat('00', 1500), 'hex'), $3 FROM generate_series($4::int, $5) AS number`,
        [streamId, at, Buffer.alloc(32), from, to],
      );
    // Tests before have left it large.
    await superuser.query('TRUNCATE audit.block');
    await insertAt('9000-01-01Z', 1, 20_000);
    for (const to of [70_000, 20_001])
      await expect(insertAt('9000-01-01Z', 20_001, to)).rejects.toThrow('too many blocks of wrong clocks');
    // Those of this month are taken, also when it has no partition.
    const month = `audit.block_${new Date().toISOString().slice(0, 7).replace('-', '_')}`;
    await superuser.query(`ALTER TABLE audit.block DETACH PARTITION ${month}`);
    await insertAt(new Date().toISOString(), 20_001, 20_001);
    await superuser.query(`TRUNCATE audit.block; DROP TABLE ${month}; SELECT audit.create_partitions()`);
  });

  it('shows each block to a query while its partition is made', async () => {
    const streamId = await newStream();
    await as(writer, insertBlock, [streamId, 0, `${oldYear}-11-03Z`, Buffer.alloc(32)]);
    await superuser.query('BEGIN; SELECT audit.create_partitions()');
    const found = as(reader, 'SELECT sequence FROM audit.block WHERE stream_id = $1', [streamId]);
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await waitUntil(async () => (await as(reader, waiting)).length > 0, 'the query waits');
    await superuser.query('COMMIT');
    expect(await found).toEqual([{ sequence: '0' }]);
    await superuser.query(`DELETE FROM audit.block; DROP TABLE audit.block_${oldYear}_11`);
  });

  it.each(['UPDATE audit.retention SET days = 1', 'DELETE FROM audit.retention', 'DELETE FROM audit.retirement'])(
    'cannot be changed by the reader: %s',
    async (sql) => {
      await expect(as(reader, sql)).rejects.toThrow(/permission denied/);
      await expect(as(writer, 'SELECT audit.drop_expired()')).rejects.toThrow(/permission denied/);
    },
  );
});

it('has a partition for this month and the next three, which the reader can add to', async () => {
  await as(reader, 'SELECT audit.create_partitions(), audit.clean_pending()');
  const { rows } = await superuser.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'audit.block'::regclass ORDER BY 1`,
  );
  const now = new Date();
  const months = Array.from({ length: 4 }, (_, ahead) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead)).toISOString().slice(0, 7).replace('-', '_'),
  );
  expect(rows.map(({ name }) => name)).toEqual([
    ...months.map((month) => `audit.block_${month}`),
    'audit.block_default',
  ]);
});
