// Runs on a fresh clone with nothing installed: only what Node itself brings.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const stamp = join(repository, 'node_modules', '.installed-lock');

/** Installs what the lock file names and builds every project; both are skipped where nothing changed. */
export function prepare() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    fail(`Node 20.19 or newer is needed; this is ${process.versions.node}`);
  install();
  build();
}

function install() {
  const lock = createHash('sha256')
    .update(readFileSync(join(repository, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  note('installing what the lock file names (npm ci)');
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], 'the installation failed');
  writeFileSync(stamp, lock);
}

function build() {
  note('building (nx run-many -t build)');
  run(
    process.execPath,
    [join(repository, 'node_modules', '.bin', 'nx'), 'run-many', '-t', 'build', '--outputStyle=dynamic-legacy'],
    'the build failed',
  );
}

/** Runs a command; what it prints goes to standard error, so that standard output stays what a program reads. */
export function run(command, words, failure, environment = {}) {
  const { status, error } = spawnSync(command, words, {
    cwd: repository,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, NX_DAEMON: 'false', ...environment },
  });
  if (error || status !== 0) fail(`${failure}${error ? `: ${error.message}` : ''}`, status ?? 1);
}

export function note(text) {
  process.stderr.write(`· ${text}\n`);
}

function fail(text, status = 1) {
  process.stderr.write(`${text}\n`);
  process.exit(status);
}
