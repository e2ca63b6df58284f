'use strict';
/**
 * Measures what an audit event costs: CPU time of this process and of PostgreSQL for each event, events per block,
 * bytes per event and the latency, at several numbers of concurrent requests.
 *
 *   npm run build && npm run bench -w @tributary/audit-log
 *
 * EVENTS (20000) chooses how many events each round records.
 */
const { generateKeyPairSync, randomUUID } = require('node:crypto');
const { chmod, mkdtemp, readFile, rm } = require('node:fs/promises');
const { join } = require('node:path');
const { reachableTemporaryDirectory, startPostgres } = require('@tributary/local-databases');
const { freePort } = require('@tributary/test-environment');
const { Client } = require('pg');
const { AuditWriter, createAuditSchema } = require('../dist');

const EVENTS = Number(process.env.EVENTS ?? 20_000);
const ROUNDS = [1, 4, 16, 64];
/** Of the clock that /proc counts CPU time with, in microseconds. */
const TICK = 10_000;

const sealingKey = generateKeyPairSync('rsa', { modulusLength: 3072 })
  .publicKey.export({ type: 'spki', format: 'der' })
  .toString('base64');

async function main() {
  const folder = await mkdtemp(join(reachableTemporaryDirectory(), 'audit-bench-'));
  await chmod(folder, 0o755);
  const postgres = await startPostgres({ dataDirectory: join(folder, 'postgres'), port: await freePort() });
  try {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    const { username } = new URL(postgres.url);
    await createAuditSchema(client, { writers: [username], reader: username });
    console.log('requests  us/event (process)  us/event (PostgreSQL)  events/block  bytes/event  ms/event (mean)');
    for (const concurrency of ROUNDS) console.log(await measure(postgres, client, concurrency));
    await client.end();
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(postgres, client, concurrency) {
  const writer = await AuditWriter.open({
    service: 'fhir-store',
    version: '0.0.0',
    sealingKey,
    preparesStatements: true,
    createClient: () => new Client({ connectionString: postgres.url, application_name: 'audit' }),
    log: console,
  });
  await load(writer, concurrency, EVENTS / 10);
  const { rows } = await client.query(`SELECT pid FROM pg_stat_activity WHERE application_name = 'audit'`);
  const [server, began] = [await cpuOf(rows[0].pid), performance.now()];
  const own = process.cpuUsage();
  await load(writer, concurrency, EVENTS);
  const { user, system } = process.cpuUsage(own);
  const elapsed = performance.now() - began;
  const serverMicros = (await cpuOf(rows[0].pid)) - server;
  await writer.close();
  const [sizes] = (
    await client.query(
      'SELECT sum(events)::float AS events, count(*)::float AS blocks, sum(pg_column_size(b.*))::float AS bytes FROM audit.block b WHERE stream_id = $1',
      [writer.streamId],
    )
  ).rows;
  const columns = [
    [concurrency, 8],
    [((user + system) / EVENTS).toFixed(1), 20],
    [(serverMicros / EVENTS).toFixed(1), 23],
    [(sizes.events / sizes.blocks).toFixed(1), 14],
    [(sizes.bytes / sizes.events).toFixed(0), 13],
    [((elapsed * concurrency) / EVENTS).toFixed(2), 17],
  ];
  return columns.map(([text, width]) => String(text).padStart(width)).join('');
}

/** Records events, so many at once; each like that of a read. */
async function load(writer, concurrency, count) {
  let left = count;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0)
        await writer.record({
          kind: 'fhir.read',
          action: 'R',
          outcome: 'success',
          status: 200,
          requestId: randomUUID(),
          agent: { clientId: '0b1e5e0c6f0f4f0d8a52', serviceUserId: 1 + (left % 1000) },
          address: '192.0.2.1',
          userAgent: 'okhttp/4.9',
          subject: 1 + (left % 1000),
          entities: [{ release: 'r4', type: 'Observation', id: randomUUID(), version: 1 }],
        });
    }),
  );
}

/** CPU time of a process, in microseconds. */
async function cpuOf(pid) {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK;
}

void main();
