import { readFileSync, readdirSync } from 'node:fs';

/**
 * Sends a signal; signal 0 only tests whether the process exists.
 * @returns whether the process exists
 */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

/**
 * The ids of a process and of its children; PostgreSQL has one process per connection. The children are found only with
 * /proc.
 */
export function withChildren(pid: number): number[] {
  const children = processIds().filter((candidate) => parentOf(candidate) === pid);
  return [pid, ...children];
}

function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses can contain spaces; the state and the parent follow it.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}
