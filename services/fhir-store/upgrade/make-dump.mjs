// Makes the data of the upgrade test: starts PostgreSQL, lets the code of an older commit write synthetic records,
// records its answers, and dumps the database.
//
//   node services/fhir-store/upgrade/make-dump.mjs --worktree DIR --name NAME [--partitions N] \
//     [--postgres /usr/lib/postgresql/15/bin]
//
// DIR is a built worktree of the commit whose schema is to be dumped. The files go to upgrade/NAME beside this script.
// pg_dump must be as new as the server, so both come from the same folder.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { transformFileSync } from '@swc/core';
import { writeRecords } from './synthetic-records.mjs';

// The build does not compile test support.
const { code } = transformFileSync(new URL('../test/recorded-responses.ts', import.meta.url).pathname, {
  swcrc: false,
  jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
  module: { type: 'es6' },
});
const { answersOf, exportsOf } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

const { values } = parseArgs({
  options: {
    worktree: { type: 'string' },
    name: { type: 'string' },
    partitions: { type: 'string', default: '0' },
    postgres: { type: 'string', default: '/usr/lib/postgresql/15/bin' },
  },
});
if (!values.worktree || !values.name) throw new Error('say --worktree DIR and --name NAME');
const service = createRequire(join(resolve(values.worktree), 'services', 'fhir-store', 'package.json'));
const folder = mkdtempSync(join(tmpdir(), 'tributary-dump-'));
const superuser = process.getuid() === 0 ? accountOf('postgres') : {};

function accountOf(name) {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout));
  return { uid, gid };
}

function run(program, words) {
  const result = spawnSync(join(values.postgres, program), words, {
    encoding: 'utf8',
    cwd: '/',
    maxBuffer: 1 << 28,
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
    ...superuser,
  });
  if (result.status !== 0) throw new Error(`${program} failed: ${result.stderr || result.error}`);
  return result.stdout;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

async function startPostgres() {
  const cluster = join(folder, 'cluster');
  mkdirSync(cluster, { mode: 0o700 });
  chmodSync(folder, 0o755);
  if (superuser.uid !== undefined) chownSync(cluster, superuser.uid, superuser.gid);
  run('initdb', [
    '--pgdata',
    cluster,
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ]);
  const port = await freePort();
  const settings = [
    'fsync=off',
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${port}`,
    'timezone=UTC',
  ];
  run('pg_ctl', [
    'start',
    '--wait',
    '--timeout=120',
    '--pgdata',
    cluster,
    '--log',
    join(cluster, 'log'),
    '--options',
    settings.map((setting) => `-c ${setting}`).join(' '),
  ]);
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    stop: () => run('pg_ctl', ['stop', '--mode=immediate', '--pgdata', cluster]),
  };
}

async function startRedis() {
  const port = await freePort();
  const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], {
    stdio: 'ignore',
  });
  return { url: `redis://127.0.0.1:${port}`, stop: () => server.kill() };
}

const postgres = await startPostgres();
const redis = await startRedis();
try {
  Object.assign(process.env, { TEST_POSTGRES_URL: postgres.url, TEST_REDIS_URL: redis.url, TEST_RUN: 'dump' });
  const { FhirStoreUnderTest } = service('./dist/testing/fhir-store-under-test');
  const { RecordOverHttp } = service('./dist/testing/record-over-http');
  const { contentOf } = service('./dist/records/resource-content');
  const storage = service('@tributary/record-storage');
  const store = await FhirStoreUnderTest.start({ partitions: Number(values.partitions) });
  const user = (userId, clientId) => new RecordOverHttp(store.url, userId, store.auth.token(userId, clientId));
  const requests = await writeRecords({ store, user, contentOf, typeCodeOf: storage.typeCodeOf });
  const reader = new storage.RecordExport({
    pool: store.pool,
    kek: new (service('@tributary/key-vault').LocalKeyEncryptionKey)([store.keyEncryptionKey]),
  });
  const at = await reader.snapshotTime();
  const answers = { requests: await answersOf(user, requests), at, exports: await exportsOf(reader, at) };

  // Lines for psql alone are left out: the test sends the file to the server as it is.
  const dump = run('pg_dump', [
    '--dbname',
    store.database.url,
    '--inserts',
    '--no-owner',
    '--no-privileges',
    '--schema=fhir_store',
  ]).replace(/^\\.*\n/gm, '');
  const into = join(import.meta.dirname, values.name);
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, 'dump.sql.gz'), gzipSync(dump, { level: 9 }));
  writeFileSync(join(into, 'answers.json.gz'), gzipSync(JSON.stringify(answers), { level: 9 }));
  writeFileSync(join(into, 'key-encryption-key'), `${store.keyEncryptionKey.toString('base64')}\n`);
  process.stdout.write(`${into}: ${answers.requests.length} answers, ${answers.exports.length} exports\n`);
  await store.stop();
} finally {
  redis.stop();
  postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
