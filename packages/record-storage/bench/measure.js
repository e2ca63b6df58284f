'use strict';
/**
 * Measures the record storage, beside the bare database doing the same work in the same run.
 *
 *   npm run build && npm run bench -w @tributary/record-storage
 *
 * USERS (200) and RESOURCES (300 per user) choose the amount, CONNECTIONS (16) the load, SECONDS (5) how long each
 * request is measured, DATABASE_URL a database of one's own (the schema fhir_store is made anew in it; default: an
 * embedded PostgreSQL). Resources are taken from TRIBUTARY_DATA or ../shared/data beside the repository, else
 * generated.
 */
const { createHash, randomBytes, randomUUID } = require('node:crypto');
const { chmod, mkdtemp, rm } = require('node:fs/promises');
const { join } = require('node:path');
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
  typeCodeOf,
} = require('../dist');
const { loadTemplates } = require('./templates');

const USERS = Number(process.env.USERS ?? 200);
const RESOURCES = Number(process.env.RESOURCES ?? 300);
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 16);
const SECONDS = Number(process.env.SECONDS ?? 5);
const BATCH = 250;
const CLIENT = 'bench';
const OBSERVATION = typeCodeOf('r4', 'Observation');

async function main() {
  const database = await openDatabase();
  const pool = new Pool({ connectionString: database.url, max: CONNECTIONS });
  // The server may go before the last connection has.
  pool.on('error', () => {});
  try {
    await pool.query('DROP SCHEMA IF EXISTS fhir_store CASCADE');
    for (const Migration of recordStorageMigrations()) await new Migration().up(pool);
    const kek = new LocalKeyEncryptionKey([randomBytes(32)]);
    const bench = {
      pool,
      storage: new RecordStorage({ pool, kek }),
      exported: exportedRecords(pool, kek),
      templates: loadTemplates(),
      ids: [],
    };
    console.log(
      `${USERS} users, ${RESOURCES} resources each, ${bench.templates.length} different ones, ${CONNECTIONS} connections; PostgreSQL ${(await pool.query('SHOW server_version')).rows[0].server_version}`,
    );
    await ingest(bench);
    await disk(bench);
    await requests(bench);
    await exports_(bench);
  } finally {
    await pool.end();
    await database.close();
  }
}

async function openDatabase() {
  if (process.env.DATABASE_URL) return { url: process.env.DATABASE_URL, close: async () => {} };
  const { startPostgres, reachableTemporaryDirectory } = require('@tributary/local-databases');
  const directory = await mkdtemp(join(reachableTemporaryDirectory(), 'tributary-bench-'));
  // PostgreSQL may run as another user than this one.
  await chmod(directory, 0o755);
  const server = await startPostgres({ dataDirectory: join(directory, 'data') });
  return {
    url: server.url,
    close: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Executes `work` for every item, `workers` at once. Returns the elapsed seconds. */
async function inParallel(items, workers, work) {
  const start = process.hrtime.bigint();
  let next = 0;
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (next < items.length) await work(items[next++]);
    }),
  );
  return Number(process.hrtime.bigint() - start) / 1e9;
}

async function ingest({ storage, templates, ids }) {
  const cpu = process.cpuUsage();
  const batches = [];
  for (let user = 1; user <= USERS; user++) {
    const own = Array.from({ length: RESOURCES }, (_, i) => templates[(user * 37 + i) % templates.length]).sort(
      (a, b) => a.typeCode - b.typeCode,
    );
    for (let i = 0; i < own.length; i += BATCH) {
      batches.push({
        user,
        changes: own.slice(i, i + BATCH).map((template) => ({
          typeCode: template.typeCode,
          id: randomUUID(),
          body: template.body,
          index: template.index,
          source: template.source,
        })),
      });
    }
    ids.push([]);
  }
  const seconds = await inParallel(batches, 4, async ({ user, changes }) => {
    await storage.record(user, CLIENT).write(changes);
    for (const { typeCode, id } of changes) if (typeCode === OBSERVATION) ids[user - 1].push(id);
  });
  report('batch ingest', USERS * RESOURCES, seconds, `process CPU ${share(cpu, seconds)}`);
  const again = await inParallel(batches.slice(0, 100), 4, ({ user, changes }) =>
    storage.record(user, CLIENT).write(changes),
  );
  report(
    'the same batches again, unchanged',
    batches.slice(0, 100).reduce((sum, { changes }) => sum + changes.length, 0),
    again,
  );
}

async function disk({ pool }) {
  await pool.query('CHECKPOINT');
  let total = 0;
  for (const table of ['resource', 'block', 'resource_history', 'record']) {
    const {
      rows: [size],
    } = await pool.query(
      `SELECT pg_table_size('fhir_store.${table}') AS heap, pg_indexes_size('fhir_store.${table}') AS indexes`,
    );
    total += Number(size.heap) + Number(size.indexes);
    console.log(`  ${table.padEnd(10)} ${perResource(size.heap)} B, indexes ${perResource(size.indexes)} B a resource`);
  }
  const {
    rows: [plain],
  } = await pool.query('SELECT sum(plain_bytes) AS bytes, count(*) AS blocks FROM fhir_store.block');
  console.log(
    `disk: ${perResource(total)} B a resource (${perResource(plain.bytes)} B as NDJSON, ${((USERS * RESOURCES) / plain.blocks).toFixed(1)} lines a block)`,
  );
}

const perResource = (bytes) => Math.round(Number(bytes) / (USERS * RESOURCES));

/** Sends requests from all connections for some seconds; reports the rate and the latencies. */
async function load(name, request) {
  for (let i = 0; i < 200; i++) await request(i);
  const latencies = [];
  const cpu = process.cpuUsage();
  const start = performance.now();
  const end = start + SECONDS * 1000;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, connection) => {
      for (let i = connection; performance.now() < end; i += CONNECTIONS) {
        const sent = performance.now();
        await request(i);
        latencies.push(performance.now() - sent);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  latencies.sort((a, b) => a - b);
  const at = (quantile) => latencies[Math.floor((latencies.length - 1) * quantile)].toFixed(1);
  report(name, latencies.length, seconds, `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, process CPU ${share(cpu, seconds)}`);
  return latencies.length / seconds;
}

async function requests({ pool, storage, templates, ids }) {
  const observations = templates.filter(({ typeCode }) => typeCode === OBSERVATION);
  const users = ids.flatMap((own, i) => (own.length > 0 ? [i + 1] : []));
  const userOf = (i) => users[(i * 7919) % users.length];
  const idOf = (i) => ids[userOf(i) - 1][i % ids[userOf(i) - 1].length];
  const bare = (text, values) => (i) =>
    pool.query({ name: createHash('sha256').update(text).digest('hex').slice(0, 16), text, values: values(i) });

  const read = await load('read', (i) => storage.record(userOf(i), CLIENT).read(OBSERVATION, idOf(i)));
  const bareRead = await load(
    '  bare: the index row and its block',
    bare(
      'SELECT r.version, b.content FROM fhir_store.resource r JOIN fhir_store.block b ON b.user_id = $1 AND b.type_code = $2 AND b.block_id = r.block_id WHERE r.user_id = $1 AND r.type_code = $2 AND r.id = $3',
      (i) => [userOf(i), OBSERVATION, idOf(i)],
    ),
  );
  const codes = observations.map(({ index }) => index.terms.find((term) => term.includes('.code|')) ?? index.terms[0]);
  const query = (i, more = {}) => ({
    typeCodes: [OBSERVATION],
    where: { op: 'any-term', terms: [codes[i % codes.length]] },
    limit: 20,
    ...more,
  });
  const search = await load('search by code, 20', (i) => storage.record(userOf(i), CLIENT).search.page(query(i)));
  await load('search by code, newest first, with total', (i) =>
    storage.record(userOf(i), CLIENT).search.page(
      query(i, {
        total: true,
        order: [{ by: 'range', kind: 'date', name: 'Observation.effective|d', repeats: false, descending: true }],
      }),
    ),
  );
  const all = await load('search for all, 20', (i) =>
    storage.record(userOf(i), CLIENT).search.page({ ...query(i), where: { op: 'all' } }),
  );
  const bareSearch = await load(
    '  bare: 20 index rows and their blocks',
    bare(
      `SELECT p.id, CASE WHEN row_number() OVER (PARTITION BY p.block_id) = 1 THEN b.content END
     FROM (SELECT * FROM fhir_store.resource WHERE user_id = $1 AND type_code = $2 ORDER BY id LIMIT 21) p
     JOIN fhir_store.block b ON b.user_id = $1 AND b.type_code = $2 AND b.block_id = p.block_id`,
      (i) => [userOf(i), OBSERVATION],
    ),
  );
  const create = await load('create', (i) => {
    const { body, index } = observations[i % observations.length];
    return storage.record(userOf(i), CLIENT).create(OBSERVATION, randomUUID(), { body, index });
  });
  await pool.query(
    'CREATE TABLE IF NOT EXISTS fhir_store.bare (user_id bigint, type_code smallint, id uuid, blind_terms bigint[], content bytea, PRIMARY KEY (user_id, type_code, id))',
  );
  const sealed = randomBytes(600);
  const terms = Array.from({ length: 10 }, () => randomBytes(8).readBigInt64BE());
  const bareCreate = await load(
    '  bare: one insert of 600 bytes and 10 terms',
    bare('INSERT INTO fhir_store.bare VALUES ($1, $2, $3, $4, $5)', (i) => [
      userOf(i),
      OBSERVATION,
      randomUUID(),
      terms,
      sealed,
    ]),
  );
  await pool.query('DROP TABLE fhir_store.bare');
  await load('update', (i) => {
    const { body, index } = observations[i % observations.length];
    return storage.record(userOf(i), CLIENT).update(OBSERVATION, idOf(i), { body, index });
  });
  console.log(
    `  of the bare statement: read ${ratio(read, bareRead)}, search ${ratio(all, bareSearch)}, create ${ratio(create, bareCreate)} (search by code ${Math.round(search)}/s)`,
  );

  const start = process.hrtime.bigint();
  const total = { retired: 0, written: 0 };
  for (const user of users) {
    const { retired, written } = await storage.compactRecord(user);
    total.retired += retired;
    total.written += written;
  }
  report(
    'compaction of small blocks',
    total.retired,
    Number(process.hrtime.bigint() - start) / 1e9,
    `into ${total.written}`,
  );
}

async function exports_({ pool, exported }) {
  const at = await snapshotTime(pool);
  let start = performance.now();
  const files = await planExport(exported, { scope: { clientId: CLIENT }, at });
  const count = files.reduce((sum, file) => sum + file.count, 0);
  console.log(`plan of ${count} resources: ${files.length} files in ${Math.round(performance.now() - start)} ms`);

  const writer = await pool.connect();
  await writer.query('CREATE TEMPORARY TABLE plain_line (line text)');
  for (const file of files) await copyIn(writer, streamFile(exported, file, { encoding: 'identity' }));
  const {
    rows: [stored],
  } = await writer.query('SELECT count(*) FROM plain_line');
  if (Number(stored.count) !== count) throw new Error(`the export has ${stored.count} lines, its plan ${count}`);

  const rates = {};
  for (const encoding of ['identity', 'gzip']) {
    start = performance.now();
    let bytes = 0;
    for (const file of files) for await (const piece of streamFile(exported, file, { encoding })) bytes += piece.length;
    rates[encoding] = rate(`export, ${encoding}`, count, bytes, start);
  }
  start = performance.now();
  let bytes = 0;
  for await (const piece of writer.query(copyTo('COPY plain_line TO STDOUT'))) bytes += piece.length;
  const bare = rate('  bare: COPY of the same lines as text', count, bytes, start);
  writer.release();
  console.log(
    `  of the bare COPY: ${ratio(rates.identity, bare)} plain, ${ratio(rates.gzip, bare)} gzip; resident ${Math.round(process.memoryUsage.rss() / 1e6)} MB`,
  );
}

/** Lines into the table, by COPY in its text form. */
async function copyIn(connection, pieces) {
  const stream = connection.query(copyFrom('COPY plain_line FROM STDIN'));
  for await (const piece of pieces) {
    if (!stream.write(piece.toString('utf8').replaceAll('\\', '\\\\')))
      await new Promise((resolve) => stream.once('drain', resolve));
  }
  await new Promise((resolve, reject) => stream.on('error', reject).on('finish', resolve).end());
}

function rate(name, count, bytes, start) {
  const seconds = (performance.now() - start) / 1000;
  report(name, count, seconds, `${Math.round(bytes / 1e6 / seconds)} MB/s`);
  return count / seconds;
}

function report(name, count, seconds, note = '') {
  console.log(`${name}: ${Math.round(count / seconds)}/s (${count} in ${seconds.toFixed(1)} s)${note && `; ${note}`}`);
}

function share(since, seconds) {
  const { user, system } = process.cpuUsage(since);
  return `${Math.round((user + system) / 1e4 / seconds)} %`;
}

const ratio = (ours, bare) => (ours / bare).toFixed(2);

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
