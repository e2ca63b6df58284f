// npm run test:postgres -- FOLDER: runs the tests of storage and of the services' schemas on the PostgreSQL whose
// programs are in FOLDER, such as /usr/lib/postgresql/15/bin.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepare, repository } from '../local/bootstrap.mjs';

/** Projects, and the pattern of the test files that depend on the version of PostgreSQL. */
const projects = [
  ['packages/record-storage', '.'],
  ['packages/service-kit', 'databases'],
  ['packages/key-vault', '.'],
  ['infra/postgres', '.'],
  ['services/auth', 'tokens|database'],
  ['services/user-management', 'database|webhooks|connections'],
  ['services/search', 'directory|loading'],
  ['services/fhir-store', 'database|sealed|deletions|maintenance'],
  ['services/analytics-export', 'database|snapshots|jobs'],
  ['services/ingestion-worker', 'positions|checkpoints|database'],
];

const [folder] = process.argv.slice(2);
if (!folder) {
  process.stderr.write('name the folder of initdb and postgres: npm run test:postgres -- /usr/lib/postgresql/15/bin\n');
  process.exit(2);
}
prepare();
const { stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
const version = /\d+/.exec(stdout ?? '')?.[0];
let failed = false;
for (const [project, pattern] of projects) {
  const { status } = spawnSync(
    process.execPath,
    [join(repository, 'node_modules', 'jest', 'bin', 'jest.js'), pattern],
    {
      cwd: join(repository, project),
      env: { ...process.env, TEST_POSTGRES_BIN: folder, TEST_SUMMARY_SUFFIX: ` on PostgreSQL ${version}` },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  if (status !== 0) failed = true;
}
process.exit(failed ? 1 : 0);
