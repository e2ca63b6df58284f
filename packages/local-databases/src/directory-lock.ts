import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endProcess, identifyProcess, isAlive, type ProcessIdentity } from './process-identity';

/** The content of the lock file `running.json`. */
interface LockRecord {
  /** The process that holds the lock. */
  readonly launcher: ProcessIdentity;
  /** The server that runs on the data directory. */
  readonly server?: ProcessIdentity;
  readonly stopSignal: NodeJS.Signals;
  /** Removed together with the lock. */
  readonly temporaryDirectories: readonly string[];
}

const fileName = 'running.json';

/**
 * An exclusive lock on a data directory. Acquiring it stops a server whose launcher has died, and fails when the
 * launcher is alive.
 */
export class DirectoryLock {
  private constructor(
    private readonly directory: string,
    private record: LockRecord,
  ) {}

  /** @throws Error when another process holds the lock */
  static async acquire(directory: string, stopSignal: NodeJS.Signals): Promise<DirectoryLock> {
    await mkdir(directory, { recursive: true });
    const launcher = await identifyProcess(process.pid);
    if (!launcher) throw new Error('This process cannot find itself in the list of processes; is /proc mounted?');
    const lock = new DirectoryLock(directory, { launcher, stopSignal, temporaryDirectories: [] });
    const draft = await lock.writeDraft();
    try {
      if (await linked(draft, join(directory, fileName))) return lock;
      await stopAbandonedServer(directory);
      if (await linked(draft, join(directory, fileName))) return lock;
      throw new Error(`${directory} is in use by another process.`);
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** Records the server, so that it can be found and stopped if this process dies first. */
  async recordServer(pid: number): Promise<void> {
    const server = await identifyProcess(pid);
    if (server) await this.update({ ...this.record, server });
  }

  /** Records a directory that is removed together with the lock. */
  async recordTemporaryDirectory(path: string): Promise<void> {
    await this.update({ ...this.record, temporaryDirectories: [...this.record.temporaryDirectories, path] });
  }

  /** Releases the lock; the server must have ended. */
  async release(): Promise<void> {
    await removeLock(this.directory, this.record);
  }

  private async update(record: LockRecord): Promise<void> {
    this.record = record;
    await rename(await this.writeDraft(), join(this.directory, fileName));
  }

  private async writeDraft(): Promise<string> {
    const draft = join(this.directory, `${fileName}.${randomUUID()}`);
    await writeFile(draft, JSON.stringify(this.record), { mode: 0o600 });
    return draft;
  }
}

/**
 * Stops the server that a dead launcher has left on the data directory, and removes its temporary directories.
 * @returns whether there was a lock file
 * @throws Error when the launcher is alive
 */
export async function stopAbandonedServer(directory: string): Promise<boolean> {
  const record = await readRecord(directory);
  if (!record) return false;
  if (await isAlive(record.launcher)) {
    throw new Error(`${directory} is in use: process ${record.launcher.pid} runs a server on it. Stop that one first.`);
  }
  if (record.server) await endProcess(record.server, record.stopSignal);
  await removeLock(directory, record);
  return true;
}

/** A truncated file, left by a crash of the machine, counts as none, because no server survived the crash. */
async function readRecord(directory: string): Promise<LockRecord | undefined> {
  const path = join(directory, fileName);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as LockRecord;
  } catch {
    await rm(path, { force: true });
    return undefined;
  }
}

async function removeLock(directory: string, record: LockRecord): Promise<void> {
  for (const temporary of record.temporaryDirectories) await rm(temporary, { recursive: true, force: true });
  await rm(join(directory, fileName), { force: true });
}

/** `link` creates a complete file atomically and only if there is none. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
