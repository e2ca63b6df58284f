import {
  type TestDatabase,
  type TestPgBouncer,
  type TestRole,
  createDatabase,
  createRole,
  hasPgBouncer,
  startPgBouncer,
  startTcpProxy,
  waitUntil,
} from '@tributary/test-environment';
import type { Pool } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type DatabaseConfig, databaseConfig } from '../config/database-config';
import { migrateDatabase, openDatabase, openPool } from './database';
import { isDatabaseUnavailable } from './unavailable';

const schema = 'kit';

class Things1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Longer than `shortTimeout`.
    await runner.query('SELECT pg_sleep(0.3)');
    await runner.query('CREATE TABLE thing (id int PRIMARY KEY)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE thing');
  }
}

const limits = {
  DATABASE_STATEMENT_TIMEOUT_MS: 61_000,
  DATABASE_POOL_SIZE: 3,
};
const shortTimeout = { DATABASE_STATEMENT_TIMEOUT_MS: 200 };
const settings = ['search_path', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
const shown = async (pool: Pool): Promise<string[]> => {
  const { rows } = await pool.query<{ value: string }>(
    'SELECT current_setting(name) AS value FROM unnest($1::text[]) WITH ORDINALITY AS wanted (name, n) ORDER BY n',
    [settings],
  );
  return rows.map(({ value }) => value.replaceAll(' ', ''));
};

describe.each([
  ['directly', true],
  [
    hasPgBouncer
      ? 'through PgBouncer in transaction mode'
      : 'through PgBouncer in transaction mode (skipped: /usr/sbin/pgbouncer is not installed)',
    false,
  ],
])('a database that is reached %s', (_how, directly) => {
  const test = directly || hasPgBouncer ? it : it.skip;
  let database: TestDatabase;
  let role: TestRole;
  let bouncer: TestPgBouncer | undefined;
  let config: DatabaseConfig;
  let pool: Pool;
  const open = async (): Promise<void> => {
    if (!directly && hasPgBouncer) bouncer = await startPgBouncer(role.url);
    config = databaseConfig.parse({
      DATABASE_URL: bouncer?.url ?? role.url,
      DATABASE_POOLER: directly ? 'none' : 'transaction',
      ...limits,
    });
    pool = openPool(config, schema);
    pool.on('error', () => undefined);
  };
  const close = async (): Promise<void> => {
    await pool.end();
    await bouncer?.stop();
  };
  beforeAll(async () => {
    database = await createDatabase();
    role = await createRole(database, schema);
    await open();
  });
  afterAll(async () => {
    await close();
    await database.drop();
    await role.drop();
  });

  test('is migrated once by replicas that start together, however long it takes', async () => {
    const options = { database: config, schema, entities: [], migrations: [Things1700000000001] };
    const limited = { ...options, database: { ...config, ...shortTimeout } };
    const migrated = await Promise.all([migrateDatabase(limited), migrateDatabase(limited), migrateDatabase(limited)]);
    expect(migrated.map(({ version, applied }) => [version, applied]).sort()).toEqual([
      [1, 0],
      [1, 0],
      [1, 1],
    ]);
    const source = await openDatabase(options);
    expect(await source.query('SELECT count(*)::int AS count FROM thing')).toEqual([{ count: 0 }]);
    expect(await source.query('SELECT count(*)::int AS count FROM kit.migration')).toEqual([{ count: 1 }]);
    await source.destroy();
  });

  test('is migrated where MIGRATION_DATABASE_URL leads', async () => {
    const unreachable = 'postgres://nobody@127.0.0.1:1/nowhere';
    const options = { schema, entities: [], migrations: [Things1700000000001] };
    await migrateDatabase({
      ...options,
      database: { ...config, DATABASE_URL: unreachable, MIGRATION_DATABASE_URL: role.url },
    });
    await expect(migrateDatabase({ ...options, database: { ...config, DATABASE_URL: unreachable } })).rejects.toThrow(
      /ECONNREFUSED|connect/,
    );
  });

  test('does not block others while a migration waits for a lock, and is migrated when the lock is released', async () => {
    class More1700000000002 implements MigrationInterface {
      up = (runner: QueryRunner): Promise<void> => runner.query('ALTER TABLE thing ADD COLUMN more text');
      down = (): Promise<void> => Promise.resolve();
    }
    const holder = await pool.connect();
    await holder.query('BEGIN; SELECT FROM thing');
    let done = false;
    const migrated = migrateDatabase({
      database: config,
      schema,
      entities: [],
      migrations: [Things1700000000001, More1700000000002],
      lockWait: { timeoutMs: 200, retryPauseMs: 200 },
    }).then(() => (done = true));
    const waiting = async (): Promise<boolean> => {
      const { rows } = await holder.query<{ waiting: boolean }>(
        `SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted AND relation = 'thing'::regclass) AS waiting`,
      );
      return rows[0]?.waiting ?? false;
    };
    await waitUntil(waiting);
    await waitUntil(async () => !(await waiting()));
    expect(done).toBe(false);
    await pool.query('SELECT FROM thing');
    await holder.query('COMMIT');
    holder.release();
    await migrated;
    expect((await pool.query('SELECT more FROM thing')).rows).toEqual([]);
  });

  test('is refused by an older version of the service', async () => {
    await expect(
      migrateDatabase({ database: config, schema, entities: [], migrations: [Things1700000000001] }),
    ).rejects.toThrow(/later version of this service has changed the schema kit \(More1700000000002\)/);
  });

  test('runs a named statement on any connection', async () => {
    const named = { name: 'which', text: 'SELECT $1::int + 1 AS next' };
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => pool.query<{ next: number }>({ ...named, values: [n] })),
    );
    expect(answers.map(({ rows }) => rows[0]?.next)).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
  });

  test('has the configured time limits, whose errors are classified as temporary', async () => {
    // The connections that PgBouncer opened before the last migration do not have the settings of the role yet.
    await close();
    await open();
    expect(await shown(pool)).toEqual([`${schema},public`, '61s', '10s', '30s']);
    const failure = await pool.query('BEGIN; SET LOCAL statement_timeout = 50; SELECT pg_sleep(600)').then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: '57014' });
    expect(isDatabaseUnavailable(failure)).toBe(true);
  });
});

it('opens once connections are established in time again', async () => {
  const database = await createDatabase();
  const role = await createRole(database, schema);
  const proxy = await startTcpProxy(role.url);
  proxy.hang();
  const refused = openPool(databaseConfig.parse({ DATABASE_URL: proxy.url, DATABASE_CONNECT_TIMEOUT_MS: 100 }), schema);
  const opening = openDatabase({
    database: databaseConfig.parse({ DATABASE_URL: proxy.url, DATABASE_CONNECT_TIMEOUT_MS: 1000 }),
    schema,
    entities: [],
    migrations: [Things1700000000001],
  });
  opening.catch(() => undefined);
  try {
    await expect(refused.query('SELECT 1')).rejects.toThrow(/timeout/);
    // That of `refused`, and two attempts of the start.
    await waitUntil(() => proxy.accepted() >= 3);
    proxy.resume();
    const source = await opening;
    expect(await source.query('SELECT count(*)::integer AS count FROM kit.thing')).toEqual([{ count: 0 }]);
    await source.destroy();
  } finally {
    await refused.end();
    await proxy.close();
    await database.drop();
    await role.drop();
  }
});
