import { spawnSync } from 'node:child_process';
import { chownSync, readFileSync } from 'node:fs';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';

/** The user account of a server; undefined stands for the account of this process. */
export interface ServerUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root: root runs it as `postgres` or `nobody`, other users as themselves. */
export function chooseServerUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = lookUp('postgres') ?? lookUp('nobody');
  if (!user)
    throw new Error(
      'PostgreSQL refuses to run as root, and there is neither a user "postgres" nor "nobody" to run it as.',
    );
  return user;
}

/** The spawn options for this user. `spawn` accepts the id of `nobody` on macOS only as a signed number, -2. */
export function spawnIdentity(user: ServerUser | undefined): { uid?: number; gid?: number } {
  return user ? { uid: user.uid | 0, gid: user.gid | 0 } : {};
}

/** Whether the user can access the directory through all of its parents. */
export function canEnter(user: ServerUser | undefined, directory: string): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'cd "$0"', directory], { cwd: '/', stdio: 'ignore', ...spawnIdentity(user) }).status ===
    0
  );
}

/** Creates the directory and its missing parents with search permission for the user, independent of the umask. */
export async function makeEnterableDirectory(path: string, user: ServerUser | undefined): Promise<void> {
  const first = await mkdir(path, { recursive: true });
  if (!user || first === undefined) return;
  for (let made = path; made !== dirname(first); made = dirname(made)) await chmod(made, 0o711);
}

/** Creates a directory with mode 0700 that the user owns. */
export async function makePrivateDirectory(path: string, user: ServerUser | undefined): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (user) await chown(path, user.uid, user.gid);
}

/** Makes the user the owner of a file. */
export function changeOwner(user: ServerUser | undefined, path: string): void {
  if (user) chownSync(path, user.uid, user.gid);
}

/** The first temporary directory that the server user can access; TMPDIR of root can be private. */
export function reachableTemporaryDirectory(user = chooseServerUser()): string {
  const directory = [tmpdir(), '/tmp', '/var/tmp'].find((candidate) => canEnter(user, candidate));
  if (!directory)
    throw new Error(`No temporary directory is accessible to the user ${user?.name ?? 'of this process'}.`);
  return directory;
}

/** Converts negative ids, as macOS has for `nobody`, to unsigned ones. */
function lookUp(name: string): ServerUser | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 } : undefined;
}
