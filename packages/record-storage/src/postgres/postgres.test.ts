import { createDatabase } from '@tributary/test-environment';
import { Pool } from 'pg';
import { bigintArray, byteaArray, integerArray, smallintArray, uuidArray, wholeNumberArray } from './binary-arrays';
import { copyRows } from './copy-rows';
import { isUniqueViolation, run, withConnection } from './statement';

let database: Awaited<ReturnType<typeof createDatabase>>;
let pool: Pool;
beforeAll(async () => {
  database = await createDatabase();
  pool = new Pool({ connectionString: database.url, max: 2 });
  pool.on('error', () => undefined);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe('binary arrays', () => {
  it.each([
    [
      'bigint',
      bigintArray([0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), null]),
      '{0,-1,9223372036854775807,-9223372036854775808,NULL}',
    ],
    [
      'bigint',
      wholeNumberArray([0, -1, 1_763_700_000_123, -1_763_700_000_123, Number.MAX_SAFE_INTEGER]),
      '{0,-1,1763700000123,-1763700000123,9007199254740991}',
    ],
    ['integer', integerArray([1, -2, 2 ** 31 - 1]), '{1,-2,2147483647}'],
    ['smallint', smallintArray([1, -2, 32_767]), '{1,-2,32767}'],
    ['uuid', uuidArray(['0190c5a0-1111-7111-8111-11111111111f']), '{0190c5a0-1111-7111-8111-11111111111f}'],
    ['bytea', byteaArray([Buffer.from('a'), Buffer.alloc(0), Buffer.of(0, 255)]), '{"\\\\x61","\\\\x","\\\\x00ff"}'],
    ['bigint', bigintArray([]), '{}'],
    ['bytea', byteaArray([]), '{}'],
    ['uuid', uuidArray([]), '{}'],
  ])('of %s are what the database reads', async (type, array, text) => {
    expect(await run(pool, { text: `SELECT ($1::${type}[])::text` }, [array])).toEqual([[text]]);
  });
});

describe('run', () => {
  it('returns values in their types', async () => {
    const [row] = await run(
      pool,
      { text: `SELECT 1::smallint, 2, 3::bigint, true, '\\x00ff'::bytea, NULL, 'x'::text` },
      [],
    );
    expect(row).toEqual([1, 2, '3', true, Buffer.of(0, 255), null, 'x']);
  });
});

describe('copyRows', () => {
  it('reads the fields of all rows as they are stored', async () => {
    const rows = await withConnection(pool, (connection) =>
      copyRows(connection, `SELECT i, decode(repeat('ab', i * 40), 'hex') FROM generate_series(1, 3000) i`),
    );
    expect(rows).toHaveLength(3000);
    rows.forEach(([i, bytes], at) => {
      expect(i?.readInt32BE(0)).toBe(at + 1);
      expect(bytes?.equals(Buffer.alloc((at + 1) * 40, 0xab))).toBe(true);
    });
    expect(await withConnection(pool, (connection) => copyRows(connection, 'SELECT 1 WHERE false'))).toEqual([]);
  });

  it('fails as the statement does, and leaves the connection usable', async () => {
    await expect(withConnection(pool, (connection) => copyRows(connection, 'SELECT 1 / 0'))).rejects.toThrow(
      /division by zero/,
    );
    expect(await run(pool, { text: 'SELECT 1' }, [])).toEqual([[1]]);
  });
});

describe('isUniqueViolation', () => {
  it('is false for other errors', async () => {
    await pool.query('CREATE TABLE once (id integer PRIMARY KEY)');
    await pool.query('INSERT INTO once VALUES (1)');
    const failure = (sql: string): Promise<unknown> => pool.query(sql).catch((error: unknown) => error);
    expect(isUniqueViolation(await failure('INSERT INTO once VALUES (1)'))).toBe(true);
    expect(isUniqueViolation(await failure('INSERT INTO nowhere VALUES (1)'))).toBe(false);
    expect(isUniqueViolation(new Error('23505'))).toBe(false);
  });
});
