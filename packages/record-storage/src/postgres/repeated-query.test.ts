import type { EventEmitter } from 'node:events';
import { createDatabase } from '@tributary/test-environment';
import { Client, type QueryArrayResult } from 'pg';
import { DescribedStatements, RepeatedQuery } from './repeated-query';

let database: Awaited<ReturnType<typeof createDatabase>>;
let client: Client;
let described: DescribedStatements;
let descriptions = 0;

beforeAll(async () => {
  database = await createDatabase();
});

beforeEach(async () => {
  client = new Client({ connectionString: database.url, pipeline: true } as never);
  await client.connect();
  described = new DescribedStatements();
  descriptions = 0;
  const { connection } = client as unknown as { connection: EventEmitter };
  connection.on('rowDescription', () => descriptions++);
});

afterEach(() => client.end());
afterAll(() => database.drop());

function execute(name: string | undefined, text: string, values: unknown[]): Promise<QueryArrayResult<unknown[]>> {
  const config = { ...(name === undefined ? {} : { name }), text, values, rowMode: 'array' as const };
  return new Promise((resolve, reject) => {
    client.query(
      new RepeatedQuery(config, described, (error, result) => (error ? reject(error) : resolve(result))) as never,
    );
  });
}

const mixed = `SELECT $1::integer, NULL::bytea, decode('00ff', 'hex'), 7::bigint WHERE $1 <> 3`;

it('has the columns of a prepared statement described once', async () => {
  for (let n = 0; n < 5; n++) {
    const { rows, fields, rowCount } = await execute('mixed', mixed, [n]);
    expect(rows).toEqual(n === 3 ? [] : [[n, null, Buffer.from([0, 255]), '7']]);
    expect(fields.map(({ format }) => format)).toEqual(['text', 'text', 'text', 'text']);
    expect(rowCount).toBe(rows.length);
  }
  expect(descriptions).toBe(1);
});

it('has it described by executions that are sent before the first description arrives', async () => {
  const results = await Promise.all([1, 2, 4].map((n) => execute('mixed', mixed, [n])));
  expect(results.map(({ rows }) => rows[0]?.[0])).toEqual([1, 2, 4]);
  expect(descriptions).toBe(3);
  expect((await execute('mixed', mixed, [5])).rows[0]?.[0]).toBe(5);
  expect(descriptions).toBe(3);
});

it('has statements without a name described each time', async () => {
  for (const n of [1, 2]) expect((await execute(undefined, mixed, [n])).rows[0]?.[0]).toBe(n);
  expect(descriptions).toBe(2);
});

it('reads no result by columns that have changed since', async () => {
  await client.query('CREATE TABLE changing (value integer); INSERT INTO changing VALUES (1)');
  const select = (): Promise<QueryArrayResult<unknown[]>> => execute('changing', 'SELECT * FROM changing', []);
  expect((await select()).rows).toEqual([[1]]);
  await client.query(`ALTER TABLE changing ALTER value TYPE text USING 'one'`);
  await expect(select()).rejects.toThrow('cached plan must not change result type');
});

it('describes a statement whose preparation has failed when it is executed again', async () => {
  await expect(execute('late', 'SELECT value FROM late', [])).rejects.toMatchObject({ code: '42P01' });
  await client.query('CREATE TABLE late (value integer); INSERT INTO late VALUES (2)');
  const results = await Promise.allSettled([1, 2, 3].map(() => execute('late', 'SELECT value FROM late', [])));
  for (const result of results)
    if (result.status === 'fulfilled') expect(result.value.rows).toEqual([[2]]);
    else expect(result.reason).toMatchObject({ code: '26000' });
});
