import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endProcess, identifyProcess, isAlive, type ProcessIdentity } from './process-identity';

/** The pid file `running.json`: who holds a data directory, which server runs on it, and what must be removed after it. */
interface Record {
  readonly launcher: ProcessIdentity;
  readonly server?: ProcessIdentity;
  readonly stopSignal: NodeJS.Signals;
  readonly temporaryDirectories: readonly string[];
}

const fileName = 'running.json';

/**
 * The exclusive right to a data directory. A server whose launcher died is swept away when the directory is claimed
 * again; one whose launcher lives is left alone, and the claim fails.
 */
export class Claim {
  private constructor(
    private readonly directory: string,
    private record: Record,
  ) {}

  static async take(directory: string, stopSignal: NodeJS.Signals): Promise<Claim> {
    await mkdir(directory, { recursive: true });
    const launcher = await identifyProcess(process.pid);
    if (!launcher) throw new Error('This process cannot find itself in the list of processes; is /proc mounted?');
    const claim = new Claim(directory, { launcher, stopSignal, temporaryDirectories: [] });
    const draft = await claim.writeDraft();
    try {
      if (await linked(draft, join(directory, fileName))) return claim;
      await sweepLeftover(directory);
      if (await linked(draft, join(directory, fileName))) return claim;
      throw new Error(`${directory} is in use by another process.`);
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** Notes the server, so that it can be found and ended if this process dies without stopping it. */
  async noteServer(pid: number): Promise<void> {
    const server = await identifyProcess(pid);
    if (server) await this.update({ ...this.record, server });
  }

  /** Notes a directory to be removed with the claim. */
  async noteTemporaryDirectory(path: string): Promise<void> {
    await this.update({ ...this.record, temporaryDirectories: [...this.record.temporaryDirectories, path] });
  }

  /** Gives the directory back; the server must have ended. */
  async release(): Promise<void> {
    await removeTraces(this.directory, this.record);
  }

  private async update(record: Record): Promise<void> {
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
 * Ends the server that a dead launcher left on the data directory and removes its temporary directories.
 * Tells whether there was anything to sweep; throws when the launcher is alive.
 */
export async function sweepLeftover(directory: string): Promise<boolean> {
  const record = await readRecord(directory);
  if (!record) return false;
  if (await isAlive(record.launcher)) {
    throw new Error(`${directory} is in use: process ${record.launcher.pid} runs a server on it. Stop that one first.`);
  }
  if (record.server) await endProcess(record.server, record.stopSignal);
  await removeTraces(directory, record);
  return true;
}

/** A record cut short by a crash of the machine is as good as none: no server survived that. */
async function readRecord(directory: string): Promise<Record | undefined> {
  const path = join(directory, fileName);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Record;
  } catch {
    await rm(path, { force: true });
    return undefined;
  }
}

async function removeTraces(directory: string, record: Record): Promise<void> {
  for (const temporary of record.temporaryDirectories) await rm(temporary, { recursive: true, force: true });
  await rm(join(directory, fileName), { force: true });
}

/** Link is the one operation that puts a complete file in place only if there is none. */
async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
