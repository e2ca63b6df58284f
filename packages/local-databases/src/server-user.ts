import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync } from 'node:fs';
import { chown, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';

/** The account a server runs under; undefined stands for the account of this process. */
export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root. Root lends it the account `postgres`, or else `nobody`; everyone else runs it as themselves. */
export function chooseServerUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = lookUp('postgres') ?? lookUp('nobody');
  if (!user) throw new Error('PostgreSQL refuses to run as root, and there is neither a user "postgres" nor "nobody" to run it as.');
  return user;
}

/** The spawn options that start a process as this user. macOS knows `nobody` as -2, which spawn takes only in its signed form. */
export function spawnIdentity(user: ServerUser | undefined): { uid?: number; gid?: number } {
  return user ? { uid: user.uid | 0, gid: user.gid | 0 } : {};
}

/** Whether the user can reach the directory through all the folders above it. */
export function canEnter(user: ServerUser | undefined, directory: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', directory], { cwd: '/', stdio: 'ignore', ...spawnIdentity(user) }).status === 0;
}

/** Makes a directory that belongs to the user and to nobody else. */
export async function makePrivateDirectory(path: string, user: ServerUser | undefined): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (user) await chown(path, user.uid, user.gid);
}

/** Hands a file over to the user. */
export function giveTo(user: ServerUser | undefined, path: string): void {
  if (user) chownSync(path, user.uid, user.gid);
}

/** The first place for temporary files that the user can reach: root's own TMPDIR may be closed to everyone else. */
export function reachableTemporaryDirectory(user: ServerUser | undefined): string {
  const place = [tmpdir(), '/tmp', '/var/tmp'].find((candidate) => canEnter(user, candidate));
  if (!place) throw new Error(`No temporary directory is open to the user ${user?.name ?? 'of this process'}.`);
  return place;
}

function lookUp(name: string): ServerUser | undefined {
  try {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })));
    return uid === undefined || gid === undefined ? undefined : { name, uid, gid };
  } catch {
    return undefined;
  }
}
