import { randomBytes, randomUUID } from 'node:crypto';
import { type TestDatabase, type TestRole, createDatabase, createRole } from '@tributary/test-environment';
import { Client } from 'pg';
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

it('lets a writer insert a block, twice without effect, and PostgreSQL tell who did', async () => {
  const values = [randomUUID(), 0, new Date(), randomBytes(32)];
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
  ['CREATE TABLE audit.x ()'],
  ['SET ROLE audit_owner'],
])('refuses a writer %s', async (sql) => {
  await expect(as(writer, sql)).rejects.toThrow(/permission denied|must be owner/);
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
