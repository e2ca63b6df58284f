'use strict';
/**
 * Measures how long the planning of an export in R4 takes, the first time and again, beside that of the native export.
 *
 *   npm run build && node bench/manifest-in-r4.js
 *
 * RESOURCES (50,000) of dstu2 and stu3, 500 for each user, are taken from TRIBUTARY_DATA or ../shared/data beside the
 * repository; one in a thousand is made faulty.
 */
const { randomBytes, randomUUID } = require('node:crypto');
const { readFileSync, readdirSync } = require('node:fs');
const { chmod, mkdtemp, rm } = require('node:fs/promises');
const { join } = require('node:path');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { gunzipSync } = require('node:zlib');
const { Pool } = require('pg');
const { isConvertible } = require('@tributary/fhir-conversion');
const { parseJson, stringifyJson } = require('@tributary/fhir-json');
const { LocalKeyEncryptionKey } = require('@tributary/key-vault');
const { startPostgres, reachableTemporaryDirectory } = require('@tributary/local-databases');
const {
  RecordStorage,
  exportedRecords,
  recordStorageMigrations,
  snapshotTime,
  typeCodeOf,
} = require('@tributary/record-storage');
const { ExportPlanner } = require('../dist/planning/plan-export');

const RESOURCES = Number(process.env.RESOURCES ?? 50_000);
const perUser = 500;
const scope = { clientId: 'bench' };
const kek = randomBytes(32);

async function main() {
  const folder = await mkdtemp(join(reachableTemporaryDirectory(), 'tributary-bench-'));
  // PostgreSQL may run as another user than this one.
  await chmod(folder, 0o755);
  const database = await startPostgres({ dataDirectory: join(folder, 'data') });
  const pool = new Pool({ connectionString: database.url, max: 4 });
  // The server may go before the last connection has.
  pool.on('error', () => {});
  try {
    for (const Migration of recordStorageMigrations()) await new Migration().up(pool);
    await fill(new RecordStorage({ pool, kek: new LocalKeyEncryptionKey([kek]) }));
    await measure(exportedRecords(pool, new LocalKeyEncryptionKey([kek])));
  } finally {
    await pool.end();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function fill(storage) {
  const templates = ['dstu2', 'stu3'].flatMap(loadTemplates);
  for (let user = 1; user <= RESOURCES / perUser; user++) {
    const own = Array.from({ length: perUser }, (_, i) => templates[(user * 37 + i * 7) % templates.length]).sort(
      (a, b) => a.typeCode - b.typeCode,
    );
    const changes = own.map(({ typeCode, meta, members }, i) => ({
      typeCode,
      id: randomUUID(),
      body: { meta, members: i % 1000 === user % 1000 ? `${members},"nickname":"x"` : members },
      index: { terms: [], ranges: [] },
    }));
    for (let i = 0; i < changes.length; i += 250)
      await storage.record(user, scope.clientId).write(changes.slice(i, i + 250));
  }
}

function loadTemplates(release) {
  const folder = join(process.env.TRIBUTARY_DATA ?? join(__dirname, '../../../../shared/data'), 'records', release);
  const files = readdirSync(folder).filter((file) => file.endsWith('.ndjson.gz'));
  const lines = files.flatMap((file) =>
    gunzipSync(readFileSync(join(folder, file)))
      .toString('utf8')
      .split('\n')
      .filter(Boolean),
  );
  const inner = (object) => stringifyJson(object).slice(1, -1);
  return lines
    .map((line) => parseJson(line))
    .filter(({ resourceType }) => isConvertible(release, resourceType))
    .map(({ resourceType, id: _id, meta: _meta, ...members }) => ({
      typeCode: typeCodeOf(release, resourceType),
      meta: '',
      members: inner(members),
    }));
}

async function measure(records) {
  const planner = new ExportPlanner(records, {});
  const at = await snapshotTime(records.pool);
  for (const [name, request] of [
    ['native', {}],
    ['in R4, the first time', { inR4: true }],
    ['in R4, again', { inR4: true }],
    ['in R4, some elements', { inR4: true, lines: { elements: ['status'] } }],
  ]) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const [started, cpu] = [performance.now(), process.cpuUsage()];
    const { output, error } = await planner.plan(scope, request, at);
    const { user, system } = process.cpuUsage(cpu);
    const count = output.reduce((sum, { file }) => sum + file.count, 0);
    console.log(
      `${name}: ${Math.round(performance.now() - started)} ms, processor ${Math.round((user + system) / 1000)} ms, longest wait of others ${Math.round(delay.max / 1e6)} ms, ${count} resources in ${output.length} files, ${error.reduce((sum, { resources }) => sum + resources, 0)} left out`,
    );
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
