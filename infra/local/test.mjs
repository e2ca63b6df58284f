// npm test: installs and builds, runs the checks and each project's tests, then the journeys over HTTP against the
// whole suite, also in containers where there is an engine. All parts run, also after a failure. npm test -- FILE…:
// runs only these test files.
import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream, existsSync, mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { note, prepare, repository } from './bootstrap.mjs';
import { renderSummary } from './test-summary.mjs';

const nxScript = join(repository, 'node_modules', '.bin', 'nx');
const jestScript = join(repository, 'node_modules', 'jest', 'bin', 'jest.js');
// Another prefix than that of the test servers, whose old directories each run of jest removes.
const folder = mkdtempSync(join(tmpdir(), 'tributary-npm-test-'));
const environment = { ...process.env, NX_DAEMON: 'false', TEST_SUMMARY_FOLDER: folder };
const brokenParts = [];

const summaries = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
    .sort((one, other) => one.project.localeCompare(other.project));

/** Runs a part of the tests. Its output goes to a log; each project that has ended is printed in a line. */
async function run(title, words, log) {
  note(title);
  const printed = new Set(summaries().map(({ project }) => project));
  const printFinished = () => {
    for (const { project, passed, failed, seconds } of summaries().filter((one) => !printed.has(one.project))) {
      printed.add(project);
      note(
        `  ${failed > 0 ? 'FAILED' : 'passed'}  ${project}: ${failed > 0 ? `${failed} of ${passed + failed} tests` : `${passed} tests`}, ${Math.round(seconds)} s`,
      );
    }
  };
  const path = join(folder, log);
  const output = createWriteStream(path);
  const child = spawn(process.execPath, words, {
    cwd: repository,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const timer = setInterval(printFinished, 1000);
  const status = await new Promise((done) => child.once('close', done));
  clearInterval(timer);
  output.end();
  printFinished();
  if (status !== 0) brokenParts.push({ title, path });
  return status;
}

/** The folder of the project that a test file belongs to, and the file's absolute path. */
function projectOf(file) {
  const path = resolve(process.env.INIT_CWD ?? repository, file);
  const [parent, project] = relative(repository, path).split(sep);
  return { folder: join(repository, parent, project), path };
}

/** Runs test files project by project and prints the output of jest. */
function runFiles(files) {
  const byProject = new Map();
  for (const { folder: cwd, path } of files.map(projectOf)) byProject.set(cwd, [...(byProject.get(cwd) ?? []), path]);
  let status = 0;
  for (const [cwd, paths] of byProject) {
    const words = [jestScript, '--runTestsByPath', ...paths];
    if (spawnSync(process.execPath, words, { cwd, env: environment, stdio: ['ignore', 2, 2] }).status !== 0) status = 1;
  }
  return status;
}

prepare();
const files = process.argv.slice(2);
if (files.length > 0) process.exit(runFiles(files));

const nx = (target, ...words) => [nxScript, 'run-many', '-t', target, '--outputStyle=static', ...words];
await run(
  'checking types, rules, format, unused code and documentation',
  [join(repository, 'infra', 'checks', 'lint.mjs')],
  'lint.log',
);
/** Projects whose tests start the whole suite, one after the other. */
const wholeSuite = ['@tributary/journeys', '@tributary/history-checker', '@tributary/chaos'].join(',');
await run("running every project's tests", nx('test', `--exclude=${wholeSuite}`), 'projects.log');
/** The oldest PostgreSQL that is supported, where Debian's package is installed; the other tests run on version 18. */
const oldestPostgres = process.env.TEST_OLDEST_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin';
if (existsSync(oldestPostgres))
  await run(
    'running the tests of storage on PostgreSQL 15',
    [join(repository, 'infra', 'postgres', 'test-version.mjs'), oldestPostgres],
    'postgres-15.log',
  );
else note('NOT RUN: PostgreSQL 15 is not installed; storage was tested on version 18 alone');
await run(
  'running the journeys, the history checker and fault injection against the whole suite',
  nx('test', `--projects=${wholeSuite}`, '--parallel=1'),
  'suite.log',
);
await run(
  'running journeys over TLS; npm run test:tls runs all of them',
  [join(repository, 'infra', 'journeys', 'test-tls.mjs'), '--representative'],
  'tls.log',
);
await run(
  'running journeys against the containers; npm run test:compose runs all of them',
  [join(repository, 'infra', 'compose', 'test.mjs'), '--representative'],
  'containers.log',
);
process.stderr.write(renderSummary(summaries(), brokenParts, readFileSync));
const failed = brokenParts.length > 0 || summaries().some((one) => one.failed > 0);
process.exit(failed ? 1 : 0);
