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
