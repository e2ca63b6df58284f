import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresBinaries } from './postgres-binaries';
import {
  canEnter,
  chooseServerUser,
  changeOwner,
  makeEnterableDirectory,
  makePrivateDirectory,
  spawnIdentity,
  type ServerUser,
} from './server-user';

const passwordFile = 'tributary-superuser-password';

/** The locale of character classes. It is a UTF-8 locale because pg_trgm otherwise ignores letters beyond ASCII. */
const systemLocale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';

/** The complete environment of the server, without variables of the caller such as PGDATA, LC_ALL or TZ. */
export const serverEnvironment: NodeJS.ProcessEnv = { PATH: process.env['PATH'], LC_ALL: systemLocale, TZ: 'UTC' };

export interface PostgresCluster {
  readonly directory: string;
  readonly superuserPassword: string;
}

/**
 * The user for a server on this data directory: the owner of an existing cluster, because PostgreSQL accepts no other,
 * otherwise the default user.
 */
export async function userOfCluster(dataDirectory: string): Promise<ServerUser | undefined> {
  const chosen = chooseServerUser();
  const existing = await stat(clusterPath(dataDirectory)).catch(() => undefined);
  if (!chosen || !existing || existing.uid === 0 || existing.uid === chosen.uid) return chosen;
  return { name: `with the number ${existing.uid}`, uid: existing.uid, gid: existing.gid };
}

/**
 * Opens the cluster in the data directory, or creates one when there is none.
 * @throws Error when it belongs to another major version, or the server user cannot access it
 */
export async function openCluster(
  dataDirectory: string,
  options: { user: ServerUser | undefined; binaries: PostgresBinaries; sync: boolean },
): Promise<PostgresCluster> {
  const path = clusterPath(dataDirectory);
  if (!(await stat(path).catch(() => undefined))) await createCluster(dataDirectory, options);

  const directory = await realpath(path);
  if (!canEnter(options.user, directory)) {
    throw new Error(
      `${directory} contains the database, but the user ${options.user?.name ?? 'of this process'} cannot enter it. Check its owner and the folders above it.`,
    );
  }
  const version = (await readFile(join(directory, 'PG_VERSION'), 'utf8')).trim();
  if (version !== options.binaries.majorVersion) {
    throw new Error(
      `${directory} was created by PostgreSQL ${version}; this is PostgreSQL ${options.binaries.majorVersion}. Dump it with the old version, or remove it to start with an empty one.`,
    );
  }
  return { directory, superuserPassword: await readFile(join(directory, passwordFile), 'utf8') };
}

/** Initialises an empty cluster. */
function createCluster(
  dataDirectory: string,
  { user, binaries, sync }: { user: ServerUser | undefined; binaries: PostgresBinaries; sync: boolean },
): Promise<void> {
  return placeCluster(dataDirectory, user, async (draft, home) => {
    const promptFile = join(home, 'password.new');
    const password = randomBytes(24).toString('hex');
    await rm(promptFile, { force: true });
    await makePrivateDirectory(draft, user);
    await writeFile(promptFile, password, { mode: 0o600 });
    changeOwner(user, promptFile);
    try {
      initialize(
        binaries.initdb,
        [
          ...clusterOptions,
          ...localeOptions(binaries.majorVersion),
          `--pgdata=${draft}`,
          `--pwfile=${promptFile}`,
          ...(sync ? [] : ['--no-sync']),
        ],
        user,
      );
    } finally {
      await rm(promptFile, { force: true });
    }
    await writeOwned(user, join(draft, passwordFile), password);
  });
}

/**
 * Copies the cluster of a stopped server as a streaming replica of it, in place of an earlier copy.
 * @param primaryUrl the server, as its superuser
 */
export async function copyAsReplica(from: string, dataDirectory: string, primaryUrl: string): Promise<void> {
  const user = await userOfCluster(from);
  const earlier = await realpath(clusterPath(dataDirectory)).catch(() => undefined);
  if (earlier !== undefined) await rm(earlier, { recursive: true });
  await rm(clusterPath(dataDirectory), { force: true });
  await makeEnterableDirectory(dataDirectory, user);
  await placeCluster(dataDirectory, user, async (draft) => {
    // With its owners, for PostgreSQL may run as another user than this one.
    execFileSync('cp', ['-Rp', await realpath(clusterPath(from)), draft]);
    await writeOwned(user, join(draft, 'standby.signal'), '');
    // In place of the settings of ALTER SYSTEM; as an argument, the password would be in the list of processes.
    await writeOwned(user, join(draft, 'postgresql.auto.conf'), `primary_conninfo = '${primaryUrl}'\n`);
  });
}

/**
 * Fills a draft directory and renames it when it is complete, so that an interrupted start leaves no partial cluster.
 * @param fill creates the draft, in `home`
 */
async function placeCluster(
  dataDirectory: string,
  user: ServerUser | undefined,
  fill: (draft: string, home: string) => Promise<void>,
): Promise<void> {
  const home = canEnter(user, dataDirectory) ? dataDirectory : await createAccessibleHome(dataDirectory, user);
  const draft = join(home, 'cluster.new');
  await rm(draft, { recursive: true, force: true });
  await fill(draft, home);
  await rename(draft, join(home, 'cluster'));
  if (home !== dataDirectory) {
    await rm(clusterPath(dataDirectory), { force: true });
    await symlink(join(home, 'cluster'), clusterPath(dataDirectory));
  }
}

async function writeOwned(user: ServerUser | undefined, path: string, content: string): Promise<void> {
  await writeFile(path, content, { mode: 0o600 });
  changeOwner(user, path);
}

const clusterOptions = [
  '--username=postgres',
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  `--lc-ctype=${systemLocale}`,
  '--no-instructions',
];

/**
 * The locale provider `builtin` exists since PostgreSQL 17; before, collation C of the C library orders text in the
 * same way.
 */
function localeOptions(majorVersion: string): string[] {
  return Number(majorVersion) < 17 ? [] : ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
}

function initialize(initdb: string, args: readonly string[], user: ServerUser | undefined): void {
  const result = spawnSync(initdb, args, {
    cwd: '/',
    encoding: 'utf8',
    env: serverEnvironment,
    ...spawnIdentity(user),
  });
  if (result.status === 0) return;
  throw new Error(
    `initdb could not create the data directory: ${result.error?.message ?? (result.stderr || result.stdout)}`,
  );
}

/**
 * A directory for the data when the server user cannot access the chosen one; a symbolic link in the chosen directory
 * points to it.
 */
async function createAccessibleHome(dataDirectory: string, user: ServerUser | undefined): Promise<string> {
  const home = await mkdtemp('/var/tmp/tributary-postgres-data-');
  await chmod(home, 0o755);
  process.stderr.write(
    `PostgreSQL runs as the user ${user?.name ?? 'of this process'}, who cannot enter ${dataDirectory}; its data is stored in ${home} instead.\n`,
  );
  return home;
}

function clusterPath(dataDirectory: string): string {
  return join(dataDirectory, 'cluster');
}
