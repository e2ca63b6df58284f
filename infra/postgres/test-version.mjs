// npm run test:postgres -- FOLDER: runs the tests of storage and of the services' schemas on the PostgreSQL whose
// programs are in FOLDER, such as /usr/lib/postgresql/15/bin.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { prepare, repository } from '../local/bootstrap.mjs';

/**
 * Projects, those that take longest first, and the pattern of their test files that depend on the version of
 * PostgreSQL. The rule: a file belongs here if it runs migrations, locks, or statements that no file of another part of
 * its project runs. A file that runs no statement, as of Redis, HTTP or keys in memory, does not belong here, unless it
 * is in a project that is about storage as a whole.
 */
const projects = [
  ['packages/record-storage', '.'],
  ['services/user-management', 'src/(database|webhooks/(?!webhook-sender)|connections)'],
  ['services/fhir-store', '(database|deletions|maintenance|sealed)/'],
  ['services/analytics-export', 'src/(database|snapshots|jobs/(?!planning-queue))'],
  ['packages/service-kit', 'databases/(?!redis)'],
  ['services/search', 'src/(directory|loading/load-|admin|real-directory)'],
  ['services/auth', 'src/(tokens|database)'],
  ['services/ingestion-worker', 'src/(positions|checkpoints|database)'],
  ['packages/key-vault', 'scoped-keys'],
  ['infra/postgres', 'provision|secrets'],
];
/** As many projects at once as nx runs. */
const atOnce = 2;

const [folder] = process.argv.slice(2);
if (!folder) {
  process.stderr.write('name the folder of initdb and postgres: npm run test:postgres -- /usr/lib/postgresql/15/bin\n');
  process.exit(2);
}
const { stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
const version = /\d+/.exec(stdout ?? '')?.[0];
if (version === undefined) {
  process.stderr.write(`there is no PostgreSQL in ${folder}\n`);
  process.exit(1);
}
prepare();
let failed = false;

/** Runs the tests of a project, and prints their output when they have ended. */
async function run([project, pattern]) {
  const jest = spawn(process.execPath, [join(repository, 'node_modules', 'jest', 'bin', 'jest.js'), pattern], {
    cwd: join(repository, project),
    env: { ...process.env, TEST_POSTGRES_BIN: folder, TEST_SUMMARY_SUFFIX: ` on PostgreSQL ${version}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = [];
  for (const stream of [jest.stdout, jest.stderr]) stream.on('data', (part) => output.push(part));
  const [status] = await once(jest, 'close');
  process.stderr.write(Buffer.concat(output));
  if (status !== 0) failed = true;
}

const waiting = projects.values();
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (const project of waiting) await run(project);
  }),
);
process.exitCode = failed ? 1 : 0;
