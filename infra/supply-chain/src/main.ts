import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { NoReport, advisoryExplanations, findAdvisoryProblems } from './advisories';
import { baseImages, pinnedLine } from './base-images';
import { copyImageTree } from './image-tree';
import { filesBelow, findLicenceProblems, licencePolicy } from './licences';
import { type LockFile, type LockedPackage, readLockFile } from './lock-file';

const repository = resolve(__dirname, '..', '..', '..');
const readJson = (name: string): unknown => JSON.parse(readFileSync(join(__dirname, '..', name), 'utf8'));
const maxBuffer = 256 * 1024 * 1024;

function run(command: string, words: string[]): { status: number | null; stdout: string } {
  const { status, stdout, error } = spawnSync(command, words, { cwd: repository, encoding: 'utf8', maxBuffer });
  return { status: error ? null : status, stdout: stdout ?? '' };
}

function report(problems: string[], success: string): void {
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  if (problems.length === 0) process.stdout.write(`${success}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function licences(): void {
  const { packages } = readLockFile(repository);
  const problems = findLicenceProblems(
    packages,
    licencePolicy.parse(readJson('licences.json')),
    filesBelow(repository),
  );
  report(problems, `the licences of ${packages.length} packages are accepted`);
}

function advisories(): void {
  const explanations = advisoryExplanations.parse(readJson('advisories.json'));
  const { stdout } = run('npm', ['audit', '--omit=dev', '--json']);
  try {
    const today = new Date().toISOString().slice(0, 10);
    report(
      findAdvisoryProblems(stdout, explanations, today),
      'no package has a known vulnerability without explanation',
    );
  } catch (error) {
    if (!(error instanceof NoReport)) throw error;
    process.stdout.write(`NOT RUN: ${error.message}; REQUIRE_AUDIT=true makes this a failure\n`);
    process.exitCode = process.env['REQUIRE_AUDIT'] === 'true' ? 1 : 0;
  }
}

/** The workspace whose program an image runs. */
function workspaceOf(image: string, lock: LockFile): LockedPackage {
  return lock.workspace(image === 'provision' ? 'infra/compose' : `services/${image}`);
}

function imageTree(image: string, folder: string): void {
  const lock = readLockFile(repository);
  copyImageTree(lock, workspaceOf(image, lock), repository, resolve(folder));
}

function pinImages(): void {
  for (const [variable, image] of Object.entries(
    baseImages(readFileSync(join(repository, 'docker-compose.yml'), 'utf8')),
  )) {
    run('docker', ['pull', '--quiet', image]);
    const { stdout } = run('docker', ['image', 'inspect', '--format={{json .RepoDigests}}', image]);
    const line = pinnedLine(variable, image, stdout);
    if (line !== undefined) process.stdout.write(`${line}\n`);
    else {
      process.stderr.write(`NOT RUN: no registry has told the digest of ${image}\n`);
      process.exitCode = 1;
    }
  }
}

const program = new Command('supply-chain').description('What the packages and images of the suite are made of.');
program.command('licences').description('checks the licence of every locked package').action(licences);
program.command('advisories').description('asks the registry for known vulnerabilities').action(advisories);
program
  .command('image-tree <image> <folder>')
  .description('copies what the image of a service contains to a folder, after the suite was built')
  .action(imageTree);
program
  .command('pin-images')
  .description('prints the base images with their digests, as lines of a file .env')
  .action(pinImages);
try {
  program.parse();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : 'failed'}\n`);
  process.exitCode = 1;
}
