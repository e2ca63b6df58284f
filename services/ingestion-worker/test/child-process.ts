import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a TypeScript file of the workspace in a child process with an IPC channel.
 * @param options of Node, such as a small heap: then the process is expected to crash, and its output is discarded
 */
export function runSource(file: string, environment: Record<string, string>, options: string[] = []): ChildProcess {
  const sources = require.resolve('@tributary/test-environment/launch/workspace-sources.js');
  const child = spawn(process.execPath, [...options, '--require', sources, file], {
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'test', ...environment },
    stdio: ['ignore', 'pipe', options.length > 0 ? 'ignore' : 'inherit', 'ipc'],
  });
  child.stdout?.resume();
  return child;
}

export async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
