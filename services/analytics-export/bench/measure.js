'use strict';
/**
 * Measures exports over HTTP from a service of its own process, beside COPY of the same lines in the same run.
 *
 *   npm run build && npm run bench -w @tributary/analytics-export
 *
 * USERS (300) and RESOURCES (300 per user) choose the amount, DATABASE_URL a database of one's own (the schemas
 * fhir_store and analytics_export are made anew in it; default: an embedded PostgreSQL), REDIS_URL a Redis (default:
 * one that is found or embedded). PARALLEL (4) is how many download at once at the end. Resources are taken from
 * TRIBUTARY_DATA or ../shared/data beside the repository, else generated.
 */
const { randomBytes, randomUUID } = require('node:crypto');
const { fork } = require('node:child_process');
const { once } = require('node:events');
const { readFileSync } = require('node:fs');
const { chmod, mkdtemp, rm, writeFile } = require('node:fs/promises');
const http = require('node:http');
const { join } = require('node:path');
const { setTimeout: pause } = require('node:timers/promises');
const { Pool } = require('pg');
const { to: copyTo, from: copyFrom } = require('pg-copy-streams');
const { LocalKeyEncryptionKey } = require('@tributary/key-vault');
const {
  RecordStorage,
  exportedRecords,
  planExport,
  recordStorageMigrations,
  snapshotTime,
  streamFile,
} = require('@tributary/record-storage');
const { startPostgres, startRedis, reachableTemporaryDirectory } = require('@tributary/local-databases');
const { loadTemplates } = require('../../../packages/record-storage/bench/templates');

const USERS = Number(process.env.USERS ?? 300);
const RESOURCES = Number(process.env.RESOURCES ?? 300);
const PARALLEL = Number(process.env.PARALLEL ?? 4);
const client = { client_id: 'bench', client_secret: 'bench-secret', 'x-service-user-id': 'client' };
const kek = randomBytes(32);

async function main() {
  const folder = await mkdtemp(join(reachableTemporaryDirectory(), 'tributary-bench-'));
  // PostgreSQL may run as another user than this one.
  await chmod(folder, 0o755);
  const database = process.env.DATABASE_URL
    ? { url: process.env.DATABASE_URL, stop: async () => {} }
    : await startPostgres({ dataDirectory: join(folder, 'data') });
  const redis = await startRedis({});
  const auth = await authStandIn();
  const pool = new Pool({ connectionString: database.url, max: 8 });
  // The server may go before the last connection has.
  pool.on('error', () => {});
  let service;
  try {
    await pool.query('DROP SCHEMA IF EXISTS fhir_store CASCADE; DROP SCHEMA IF EXISTS analytics_export CASCADE');
    for (const Migration of recordStorageMigrations()) await new Migration().up(pool);
    await fill(new RecordStorage({ pool, kek: new LocalKeyEncryptionKey([kek]) }));
    await writeFile(join(folder, 'kek'), kek);
    service = await startService({ folder, databaseUrl: database.url, redisUrl: redis.url, authUrl: auth.url });
    await measure(service, pool);
  } finally {
    if (service) {
      service.process.kill('SIGTERM');
      await once(service.process, 'exit');
    }
    await pool.end();
    auth.close();
    await redis.stop();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Takes everyone for the client of this bench. */
async function authStandIn() {
  const server = http.createServer((request, response) => {
    request.resume().on('end', () =>
      response.setHeader('Content-Type', 'application/json').end(
        JSON.stringify({
          client_id: client.client_id,
          name: 'Bench',
          mode: 'test',
          redirect_uris: ['http://localhost'],
        }),
      ),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

async function fill(storage) {
  const templates = loadTemplates();
  const start = performance.now();
  for (let user = 1; user <= USERS; user++) {
    const own = Array.from({ length: RESOURCES }, (_, i) => templates[(user * 37 + i) % templates.length]).sort(
      (a, b) => a.typeCode - b.typeCode,
    );
    for (let i = 0; i < own.length; i += 300)
      await storage
        .record(user, client.client_id)
        .write(own.slice(i, i + 300).map(({ typeCode, body, index }) => ({ typeCode, id: randomUUID(), body, index })));
  }
  console.log(
    `${USERS} users, ${RESOURCES} resources each, stored in ${Math.round((performance.now() - start) / 1000)} s`,
  );
}

async function startService({ folder, databaseUrl, redisUrl, authUrl }) {
  const [port, internalPort] = await freePorts(2);
  const environment = {
    LOG_LEVEL: 'warn',
    HOST: '127.0.0.1',
    PORT: port,
    INTERNAL_PORT: internalPort,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    SERVICE_KEY: 'bench-key-0123456789',
    ANALYTICS_URL: `http://127.0.0.1:${port}`,
    AUTH_URL: authUrl,
    AUTH_INTERNAL_URL: authUrl,
    USER_MANAGEMENT_INTERNAL_URL: authUrl,
    KEY_ENCRYPTION_KEY_FILE: join(folder, 'kek'),
    FILE_TOKEN_KEY: randomBytes(32).toString('base64'),
  };
  const process_ = fork(join(__dirname, '../dist/main.js'), {
    env: { PATH: process.env.PATH, ...environment },
    stdio: 'inherit',
  });
  for (let i = 0; i < 300; i++) {
    const ready = await fetch(`http://127.0.0.1:${internalPort}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ready) return { process: process_, url: `http://127.0.0.1:${port}` };
    await pause(100);
  }
  throw new Error('the service did not become ready');
}

async function freePorts(count) {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = http.createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function measure(service, pool) {
  const memory = new Memory(service.process.pid);
  const manifestUrl = `${service.url}/bulk-data/r4/$export`;
  const times = [];
  let manifest;
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    manifest = await (await fetch(manifestUrl, { headers: client })).json();
    times.push(performance.now() - start);
  }
  const count = manifest.output.reduce((sum, file) => sum + file.count, 0);
  console.log(
    `manifest of ${count} resources in ${manifest.output.length} files: ${times.map(Math.round).join(', ')} ms`,
  );

  const largest = manifest.output.toSorted((a, b) => b.count - a.count)[0];
  const first = [];
  for (let i = 0; i < 5; i++) first.push((await download(largest.url, 'identity', true)).firstByteMs);
  console.log(`first byte of the largest file: ${first.map(Math.round).join(', ')} ms`);

  const writer = await pool.connect();
  await copyOfLines(pool, writer, count);
  const rates = { identity: 0, gzip: 0, copy: 0 };
  for (let round = 0; round < 3; round++) {
    for (const encoding of ['identity', 'gzip'])
      rates[encoding] = Math.max(rates[encoding], await downloadAll(manifest, encoding, count));
    const start = performance.now();
    let bytes = 0;
    for await (const piece of writer.query(copyTo('COPY plain_line TO STDOUT'))) bytes += piece.length;
    rates.copy = Math.max(rates.copy, report('COPY of the same lines', count, bytes, performance.now() - start));
  }
  writer.release();
  console.log(
    `best of three, of COPY: ${(rates.identity / rates.copy).toFixed(2)} plain, ${(rates.gzip / rates.copy).toFixed(2)} gzip`,
  );
  const start = performance.now();
  const atOnce = await Promise.all(Array.from({ length: PARALLEL }, () => download(largest.url, 'identity')));
  report(
    `${PARALLEL} downloads of the largest file at once`,
    largest.count * PARALLEL,
    atOnce.reduce((sum, { bytes }) => sum + bytes, 0),
    performance.now() - start,
  );
  console.log(`resident memory of the service: ${memory.stop()} MB at most`);
}

/** The same lines in a table of plain text. */
async function copyOfLines(pool, connection, count) {
  await connection.query('CREATE TEMPORARY TABLE plain_line (line text)');
  const records = exportedRecords(pool, new LocalKeyEncryptionKey([kek]));
  const at = await snapshotTime(pool);
  for (const file of await planExport(records, { scope: { clientId: client.client_id }, at })) {
    const stream = connection.query(copyFrom('COPY plain_line FROM STDIN'));
    for await (const piece of streamFile(records, file, { encoding: 'identity' })) {
      if (!stream.write(piece.toString('latin1').replaceAll('\\', '\\\\'), 'latin1')) await once(stream, 'drain');
    }
    stream.end();
    await once(stream, 'finish');
  }
  const {
    rows: [stored],
  } = await connection.query('SELECT count(*)::int FROM plain_line');
  if (stored.count !== count) throw new Error(`the export has ${stored.count} lines, its manifest ${count}`);
}

async function downloadAll(manifest, encoding, count) {
  const start = performance.now();
  let bytes = 0;
  for (const file of manifest.output) bytes += (await download(file.url, encoding)).bytes;
  return report(`download of all files, ${encoding}`, count, bytes, performance.now() - start);
}

const agent = new http.Agent({ keepAlive: true });

/** Takes the bytes without looking at them. */
function download(url, encoding, onlyFirst = false) {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.get(
      url,
      { agent: onlyFirst ? undefined : agent, headers: { ...client, 'Accept-Encoding': encoding } },
      (answer) => {
        let bytes = 0;
        let firstByteMs;
        answer.on('data', (piece) => {
          firstByteMs ??= performance.now() - start;
          bytes += piece.length;
          if (onlyFirst) {
            request.destroy();
            resolve({ bytes, firstByteMs });
          }
        });
        answer.on('end', () =>
          answer.statusCode === 200 && answer.complete
            ? resolve({ bytes, firstByteMs })
            : reject(new Error(`a download ended with ${answer.statusCode}`)),
        );
      },
    );
    request.on('error', (error) => (onlyFirst ? undefined : reject(error)));
  });
}

function report(name, count, bytes, ms) {
  console.log(`${name}: ${Math.round((count / ms) * 1000)} resources/s, ${Math.round(bytes / ms / 1000)} MB/s`);
  return (count / ms) * 1000;
}

/** The most memory that a process holds, where the system tells. */
class Memory {
  constructor(pid) {
    this.pid = pid;
    this.most = 0;
    this.timer = setInterval(() => this.look(), 50);
  }
  look() {
    try {
      const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8')) ?? [];
      this.most = Math.max(this.most, Math.round(Number(kb ?? 0) / 1024));
    } catch {
      // Not on this system.
    }
  }
  stop() {
    clearInterval(this.timer);
    return this.most;
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
