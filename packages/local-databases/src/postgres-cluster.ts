import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PostgresBinaries } from './postgres-binaries';
import {
  canEnter,
  chooseServerUser,
  giveTo,
  makePrivateDirectory,
  spawnIdentity,
  type ServerUser,
} from './server-user';

const passwordFile = 'tributary-superuser-password';

/** The locale of messages and character classes: pg_trgm takes letters beyond ASCII only from a UTF-8 one. */
export const systemLocale = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8';

/** The server's whole environment: nothing of the caller's (PGDATA, LC_ALL, TZ…) may leak into it. */
export const serverEnvironment: NodeJS.ProcessEnv = { PATH: process.env['PATH'], LC_ALL: systemLocale, TZ: 'UTC' };

export interface PostgresCluster {
  readonly directory: string;
  readonly superuserPassword: string;
}

/** The account to run on this data directory as: an existing cluster's owner, because PostgreSQL accepts no other, else the usual one. */
export async function userOfCluster(dataDirectory: string): Promise<ServerUser | undefined> {
  const chosen = chooseServerUser();
  const existing = await stat(clusterPath(dataDirectory)).catch(() => undefined);
  if (!chosen || !existing || existing.uid === 0 || existing.uid === chosen.uid) return chosen;
  return { name: `with the number ${existing.uid}`, uid: existing.uid, gid: existing.gid };
}

/** Opens the cluster in the data directory, or makes one when there is none. */
export async function openCluster(
  dataDirectory: string,
  options: { user: ServerUser | undefined; binaries: PostgresBinaries; sync: boolean },
): Promise<PostgresCluster> {
  const path = clusterPath(dataDirectory);
  if (!(await stat(path).catch(() => undefined))) await createCluster(dataDirectory, options);

  const directory = await realpath(path);
  if (!canEnter(options.user, directory)) {
    throw new Error(
      `${directory} holds the database, but the user ${options.user?.name ?? 'of this process'} cannot enter it. Check its owner and the folders above it.`,
    );
  }
  const version = (await readFile(join(directory, 'PG_VERSION'), 'utf8')).trim();
  if (version !== options.binaries.majorVersion) {
    throw new Error(
      `${directory} was made by PostgreSQL ${version}; this is PostgreSQL ${options.binaries.majorVersion}. Dump it with the old version, or remove it to begin anew.`,
    );
  }
  return { directory, superuserPassword: await readFile(join(directory, passwordFile), 'utf8') };
}

/** The cluster is built aside and renamed when complete, so that an interrupted start leaves nothing half-made behind. */
async function createCluster(
  dataDirectory: string,
  { user, binaries, sync }: { user: ServerUser | undefined; binaries: PostgresBinaries; sync: boolean },
): Promise<void> {
  const home = canEnter(user, dataDirectory) ? dataDirectory : await homeElsewhere(dataDirectory, user);
  const draft = join(home, 'cluster.new');
  const promptFile = join(home, 'password.new');
  const password = randomBytes(24).toString('hex');
  await rm(draft, { recursive: true, force: true });
  await rm(promptFile, { force: true });
  await makePrivateDirectory(draft, user);
  await writeFile(promptFile, password, { mode: 0o600 });
  giveTo(user, promptFile);
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
  await writeFile(join(draft, passwordFile), password, { mode: 0o600 });
  giveTo(user, join(draft, passwordFile));
  await rename(draft, join(home, 'cluster'));
  if (home !== dataDirectory) {
    await rm(clusterPath(dataDirectory), { force: true });
    await symlink(join(home, 'cluster'), clusterPath(dataDirectory));
  }
}

const clusterOptions = [
  '--username=postgres',
  '--auth=scram-sha-256',
  '--encoding=UTF8',
  '--locale=C',
  `--lc-ctype=${systemLocale}`,
  '--no-instructions',
];

/** The locale provider `builtin` exists since PostgreSQL 17; before, collation C of the C library orders text in the same way. */
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
    `PostgreSQL could not make its data directory: ${result.error?.message ?? (result.stderr || result.stdout)}`,
  );
}

/** Where root keeps the data when the chosen directory is closed to the server's user; a link in the chosen directory leads there. */
async function homeElsewhere(dataDirectory: string, user: ServerUser | undefined): Promise<string> {
  const home = await mkdtemp('/var/tmp/tributary-postgres-data-');
  await chmod(home, 0o755);
  process.stderr.write(
    `PostgreSQL runs as the user ${user?.name ?? 'of this process'}, who cannot enter ${dataDirectory}; its data lies in ${home} instead.\n`,
  );
  return home;
}

function clusterPath(dataDirectory: string): string {
  return join(dataDirectory, 'cluster');
}
