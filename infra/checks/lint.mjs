// npm run lint: every check that runs no test. A check that passes prints one line; the output of one that fails
// follows its line.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { note, prepare, repository } from '../local/bootstrap.mjs';

const tool = (name) => join(repository, 'node_modules', '.bin', name);
const sources = ['packages', 'services', 'infra'].filter((folder) => existsSync(join(repository, folder)));

/** What is checked, and the command that does it, as arguments of node; those that take longest first. */
const checks = [
  ['types', [tool('tsc'), '-p', join(repository, 'infra', 'checks', 'tsconfig.sources.json')]],
  [
    'types of projects with types of browsers',
    [tool('nx'), 'run-many', '-t', 'lint', '--excludeTaskDependencies', '--outputStyle=static'],
  ],
  ['format (oxfmt)', [tool('oxfmt'), '--check', '.']],
  ['rules, import cycles and boundaries (oxlint)', [tool('oxlint'), '--deny-warnings', ...sources]],
  ['unused files, exports and dependencies (knip)', [tool('knip'), '--no-progress']],
  ['licences of the packages', [join(repository, 'infra', 'supply-chain', 'dist', 'main.js'), 'licences']],
  [
    'links, files and commands in the documentation, width of comments, migrations',
    [join(repository, 'infra', 'checks', 'dist', 'main.js')],
  ],
  ['the error catalogue', [join(repository, 'infra', 'docs', 'errors.mjs'), '--check']],
  ['the configuration reference', [join(repository, 'infra', 'docs', 'configuration.mjs'), '--check']],
];

/** Runs a check and resolves with its exit status and what it printed. */
async function run(words) {
  const child = spawn(process.execPath, words, {
    cwd: repository,
    env: { ...process.env, NX_DAEMON: 'false' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  const status = await new Promise((resolve) => child.once('close', resolve));
  return { status, output };
}

prepare();
let failed = false;
const waiting = [...checks];
/** Runs checks until none is left. */
async function runWaiting() {
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const [title, words] = next;
    const started = performance.now();
    const { status, output } = await run(words);
    note(`${status === 0 ? 'passed' : 'FAILED'}  ${title}, ${((performance.now() - started) / 1000).toFixed(1)} s`);
    if (status === 0) continue;
    failed = true;
    process.stderr.write(`${output.trimEnd()}\n`);
  }
}
await Promise.all([runWaiting(), runWaiting()]);
process.exit(failed ? 1 : 0);
