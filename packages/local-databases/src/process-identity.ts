import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Identifies a process by id and start time, because the system reuses process ids. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The start time in the format of the operating system; only compared. */
  readonly startedAt: string;
}

/** The process that has this id now; undefined when there is none or it is a zombie. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = process.platform === 'linux' ? await startOnLinux(pid) : await startByPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const present = await identifyProcess(identity.pid);
  return present?.startedAt === identity.startedAt;
}

/**
 * Sends the signal, and SIGQUIT (PostgreSQL's immediate shutdown) after the timeout.
 * @throws Error when the process is alive after a second timeout
 */
export async function endProcess(identity: ProcessIdentity, signal: NodeJS.Signals, timeoutMs = 10_000): Promise<void> {
  for (const next of [signal, 'SIGQUIT'] as const) {
    if (!(await isAlive(identity))) return;
    sendSignal(identity.pid, next);
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline) {
      if (!(await isAlive(identity))) return;
      await delay(25);
    }
  }
  throw new Error(`Process ${identity.pid} does not end; stop it manually.`);
}

/** Like `process.kill`, but ignores a process that has already ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function startOnLinux(pid: number): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // The name in parentheses can contain spaces. The state follows it, and the start time in clock ticks is 19 fields
  // after the state, see proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z') return undefined;
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return `${boot.trim()}/${fields[19]}`;
}

async function startByPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    });
    const [state = '', ...start] = stdout.trim().split(/\s+/);
    return state === '' || state.startsWith('Z') ? undefined : start.join(' ');
  } catch {
    return undefined;
  }
}
