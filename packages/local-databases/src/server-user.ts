import { spawnSync } from 'node:child_process';
import { chownSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';

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
  if (!user)
    throw new Error(
      'PostgreSQL refuses to run as root, and there is neither a user "postgres" nor "nobody" to run it as.',
    );
  return user;
}

/** The spawn options that start a process as this user. The number of macOS's `nobody` is so high that spawn takes it only in its signed form, -2. */
export function spawnIdentity(user: ServerUser | undefined): { uid?: number; gid?: number } {
  return user ? { uid: user.uid | 0, gid: user.gid | 0 } : {};
}

/** Whether the user can reach the directory through all the folders above it. */
export function canEnter(user: ServerUser | undefined, directory: string): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'cd "$0"', directory], { cwd: '/', stdio: 'ignore', ...spawnIdentity(user) }).status ===
    0
  );
}

/** Makes the directory and what is missing above it, so that the user can pass through, whatever root's umask says. */
export async function makeEnterableDirectory(path: string, user: ServerUser | undefined): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (!user || first === undefined) return;
  for (let made = path; made !== dirname(first); made = dirname(made)) await chmod(made, 0o711);
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

/** The first place for temporary files that the servers' user can reach: root's own TMPDIR may be closed to everyone else. */
export function reachableTemporaryDirectory(user = chooseServerUser()): string {
  const place = [tmpdir(), '/tmp', '/var/tmp'].find((candidate) => canEnter(user, candidate));
  if (!place) throw new Error(`No temporary directory is open to the user ${user?.name ?? 'of this process'}.`);
  return place;
}

/** Negative numbers, as macOS writes them for `nobody`, become what the system makes of them. */
function lookUp(name: string): ServerUser | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 } : undefined;
}
