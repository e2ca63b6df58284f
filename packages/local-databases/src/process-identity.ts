import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A process beyond doubt: a process id alone may have been given to another process since. */
export interface ProcessIdentity {
  readonly pid: number;
  /** What the operating system says of the start, in its own form; only ever compared. */
  readonly startedAt: string;
}

/** Who runs now under this process id; undefined when nobody does (a zombie counts as nobody). */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = process.platform === 'linux' ? await startOnLinux(pid) : await startByPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  const present = await identifyProcess(identity.pid);
  return present?.startedAt === identity.startedAt;
}

/** Sends the signal, waits, and becomes harsher (SIGQUIT, at which PostgreSQL drops everything) when patience ends. */
export async function endProcess(
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
  patienceMs = 10_000,
): Promise<void> {
  for (const step of [signal, 'SIGQUIT'] as const) {
    if (!(await isAlive(identity))) return;
    sendSignal(identity.pid, step);
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline) {
      if (!(await isAlive(identity))) return;
      await delay(25);
    }
  }
  throw new Error(`Process ${identity.pid} does not end; end it by hand.`);
}

/** Like process.kill, but a process that is already gone is no error. */
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
  // The name in parentheses may hold spaces; the state follows it, and the start (in clock ticks) is nineteen fields further.
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
