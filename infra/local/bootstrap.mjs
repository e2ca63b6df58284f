// Runs on a fresh clone with nothing installed: it imports what Node itself brings and nothing else.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const modules = join(repository, 'node_modules');
const lockFile = join(repository, 'package-lock.json');
const installedStamp = join(modules, '.installed-lock');
const builtStamp = join(modules, '.built-sources');
/** The folders of the projects. */
const parents = ['packages', 'services', 'infra'];

/** The oldest supported release of each major version of Node; later major versions are supported too. */
const oldestMinor = { 20: 19, 22: 13, 24: 11 };

/** Installs what the lock file names and builds every project. Prints nothing when neither is needed. */
export function prepare() {
  requireNode();
  if (!isInstalled()) install();
  if (!isBuilt()) build();
}

/** Ends the process with a message that says what to do, unless a program has been built at some time. */
export function requireBuild(program) {
  requireNode();
  if (!existsSync(program)) fail('Tributary is not built. Build it with: npm run build');
}

/** One compiler for all projects takes a third of the time of one for each. Nx builds what is more than compiled. */
function build() {
  const tool = (name) => join(modules, '.bin', name);
  const projects = parents.flatMap((parent) => readdirSync(join(repository, parent)).map((name) => join(parent, name)));
  const compiled = projects.filter((project) => existsSync(join(repository, project, 'tsconfig.json')));
  runQuietly('compiling', process.execPath, [tool('tsc'), '-b', ...compiled]);
  const builds = compiled
    .map((project) => JSON.parse(readFileSync(join(repository, project, 'package.json'), 'utf8')))
    .filter(({ scripts }) => scripts.build !== 'tsc -b')
    .map(({ name }) => name);
  const more = ['run-many', '-t', 'build', '-p', ...builds, '--excludeTaskDependencies', '--outputStyle=static'];
  runQuietly(`building ${builds.join(' and ')}`, process.execPath, [tool('nx'), ...more]);
  writeFileSync(builtStamp, sourcesFingerprint());
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 24 || minor >= oldestMinor[major]) return;
  fail(`Node 22.13 or 24.11, or a later version, is needed; this is ${process.versions.node}`);
}

function isInstalled() {
  if (!existsSync(installedStamp) && !isInstalledByNpm()) return false;
  const lock = fingerprint([readFileSync(lockFile)]);
  if (existsSync(installedStamp)) return readFileSync(installedStamp, 'utf8') === lock;
  writeFileSync(installedStamp, lock);
  return true;
}

/** Whether node_modules, which somebody filled by `npm install` or `npm ci`, holds what the lock file names. */
function isInstalledByNpm() {
  const hiddenLockFile = join(modules, '.package-lock.json');
  if (!existsSync(hiddenLockFile)) return false;
  const installed = JSON.parse(readFileSync(hiddenLockFile, 'utf8')).packages;
  return Object.entries(JSON.parse(readFileSync(lockFile, 'utf8')).packages).every(
    ([path, { version, optional, link }]) => path === '' || optional || link || installed[path]?.version === version,
  );
}

function install() {
  runQuietly('installing the packages', 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund']);
  writeFileSync(installedStamp, fingerprint([readFileSync(lockFile)]));
}

function isBuilt() {
  return existsSync(builtStamp) && readFileSync(builtStamp, 'utf8') === sourcesFingerprint();
}

/**
 * Changes when a file that a build reads changes its size or time, and when the output of a build is missing or changed
 * by others.
 */
function sourcesFingerprint() {
  const parts = [];
  const add = (path) => {
    const { size, mtimeMs } = statSync(path);
    parts.push(`${path} ${size} ${mtimeMs}\n`);
  };
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.name === 'dist') {
        if (existsSync(join(path, '.tsbuildinfo'))) add(join(path, '.tsbuildinfo'));
      } else if (entry.isDirectory()) {
        if (entry.name !== 'node_modules') walk(path);
      } else if (/\.(?:tsx?|css|json)$/.test(entry.name)) add(path);
    }
  };
  for (const parent of parents) walk(join(repository, parent));
  for (const name of ['tsconfig.base.json', 'package-lock.json']) add(join(repository, name));
  return fingerprint(parts);
}

function fingerprint(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** Runs a command behind one line of progress. What it prints is shown when it fails, and then this process ends. */
function runQuietly(title, command, words) {
  const started = performance.now();
  process.stderr.write(`· ${title} …`);
  const { status, error, stdout, stderr } = spawnSync(command, words, {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NX_DAEMON: 'false' },
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  if (!error && status === 0) {
    process.stderr.write(` ${Math.round((performance.now() - started) / 1000)} s\n`);
    return;
  }
  process.stderr.write(` failed\n${ofFailedTasks(`${stdout ?? ''}${stderr ?? ''}`)}`);
  fail(error?.message ?? '', status ?? 1);
}

/** The output of Nx without the tasks that it took from its cache. */
function ofFailedTasks(output) {
  const [start, ...tasks] = output.split(/^(?=> nx run )/m);
  if (tasks.length === 0) return start;
  return tasks.filter((task) => !/^> nx run \S+ +\[/.test(task)).join('');
}

export function note(text) {
  process.stderr.write(`· ${text}\n`);
}

function fail(text, status = 1) {
  process.stderr.write(`${text}\n`);
  process.exit(status);
}
