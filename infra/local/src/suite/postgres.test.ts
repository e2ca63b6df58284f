import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { hasPgBouncer, reachableTemporaryDirectory } from '@tributary/local-databases';
import { databaseUsers } from '@tributary/postgres';
import { openClient } from '@tributary/service-kit';
import { freePort, waitUntil } from '@tributary/test-environment';
import { Addresses } from './addresses';
import { openHome } from './home';
import { type SuitePostgres, startSuitePostgres } from './postgres';
import { serviceEnvironment } from './processes';

const folder = mkdtempSync(join(reachableTemporaryDirectory(), 'tributary-suite-postgres-'));
chmodSync(folder, 0o711); // PostgreSQL may run as another user.
const portBase = async (): Promise<number> => (await freePort()) - new Addresses(0).port('postgres');
const stops: (() => Promise<unknown>)[] = [];
const stopAll = async (): Promise<void> => {
  for (const stop of stops.splice(0).toReversed()) await stop();
};
afterEach(stopAll);
afterAll(() => rmSync(folder, { recursive: true }));

async function start(
  form: { hasPgBouncer?: boolean; hasReadReplica?: boolean },
  base: number,
): Promise<SuitePostgres & { environmentOf(service: (typeof databaseUsers)[number]): Record<string, string> }> {
  const home = await openHome(join(folder, Object.keys(form).join('-')), false);
  const postgres = await startSuitePostgres({
    home,
    addresses: new Addresses(base),
    certificates: undefined,
    hasPgBouncer: false,
    hasReadReplica: false,
    ...form,
    stops,
    warn: () => undefined,
    restarted: () => undefined,
  });
  const redis = { url: 'redis://127.0.0.1', mode: 'server' as const, hasUsers: true };
  return {
    ...postgres,
    environmentOf: (service) =>
      serviceEnvironment(service, { postgres: postgres.settings, redis, home, certificates: undefined }),
  };
}

async function ask(url: string, password: string, statement: string): Promise<unknown> {
  const client = await openClient({ DATABASE_URL: url.replace('@', `:${password}@`) }, {});
  client.on('error', () => undefined);
  try {
    return Object.values((await client.query<object>(statement)).rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

it('gives exports a streaming replica, which is copied anew at each start and restarted', async () => {
  const base = await portBase();
  for (const round of [1, 2]) {
    const { environmentOf, pids } = await start({ hasReadReplica: true }, base);
    expect(environmentOf('fhir-store')).not.toHaveProperty('RECORDS_DATABASE_URL');
    const { DATABASE_URL = '', RECORDS_DATABASE_URL = '', DATABASE_PASSWORD = '' } = environmentOf('analytics-export');
    const onPrimary = (statement: string) => ask(DATABASE_URL, DATABASE_PASSWORD, statement);
    const onReplica = (statement: string) => ask(RECORDS_DATABASE_URL, DATABASE_PASSWORD, statement);
    await onPrimary(`CREATE TABLE analytics_export.round_${round} ()`);
    // Until the replica has followed, it has no database.
    const sees = (table: string) =>
      waitUntil(
        () => onReplica(`SELECT to_regclass('analytics_export.${table}') IS NOT NULL`).catch(() => false),
        `the replica has the table ${table}`,
      );
    await sees(`round_${round}`);
    expect([await onPrimary('SELECT pg_is_in_recovery()'), await onReplica('SELECT pg_is_in_recovery()')]).toEqual([
      false,
      true,
    ]);
    const killed = pids()['postgres-replica'];
    process.kill(killed!, 'SIGKILL');
    await onPrimary(`CREATE TABLE analytics_export.later_${round} ()`);
    await waitUntil(async () => pids()['postgres-replica'] !== killed, 'the replica runs again');
    await sees(`later_${round}`);
    await stopAll();
  }
});

(hasPgBouncer ? it : it.skip)('lets every service reach PostgreSQL through PgBouncer, as its own role', async () => {
  const { environmentOf, pids } = await start({ hasPgBouncer: true }, await portBase());
  for (const user of databaseUsers) {
    const { DATABASE_URL = '', DATABASE_PASSWORD = '', DATABASE_POOLER } = environmentOf(user);
    expect([user, DATABASE_POOLER]).toEqual([user, 'transaction']);
    expect(await ask(DATABASE_URL, DATABASE_PASSWORD, 'SELECT current_user')).toBe(user.replaceAll('-', '_'));
    // PgBouncer keeps its connection to PostgreSQL when the client has gone.
    const processOfServer = 'SELECT pg_backend_pid()';
    expect(await ask(DATABASE_URL, DATABASE_PASSWORD, processOfServer)).toBe(
      await ask(DATABASE_URL, DATABASE_PASSWORD, processOfServer),
    );
    await expect(ask(DATABASE_URL, 'another', 'SELECT 1')).rejects.toThrow(/password|auth/i);
  }
  const { DATABASE_STATEMENT_TIMEOUT_MS } = environmentOf('analytics-export');
  expect(DATABASE_STATEMENT_TIMEOUT_MS).toBe('0');
  const killed = pids()['pgbouncer'];
  process.kill(killed!, 'SIGKILL');
  await waitUntil(async () => pids()['pgbouncer'] !== killed, 'PgBouncer runs again');
  const { DATABASE_URL = '', DATABASE_PASSWORD = '' } = environmentOf('auth');
  expect(await ask(DATABASE_URL, DATABASE_PASSWORD, 'SELECT 1')).toBe(1);
});

describe('npm start', () => {
  const run = (...words: string[]) =>
    spawnSync(process.execPath, [join(__dirname, '../../dist/main.js'), 'start', ...words], { encoding: 'utf8' });

  it.each(['--pgbouncer', '--read-replica'])('refuses %s with --tls', (option) => {
    const { status, stderr } = run(option, '--tls');
    expect([status, stderr]).toEqual([1, `error: option '${option}' cannot be used with option '--tls'\n`]);
  });
});
