import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/**
 * Runs a TypeScript file of the workspace in a child process with an IPC channel.
 * @param options of Node, such as a small heap: then the process is expected to crash, and its output is discarded
 */
export function runSource(file: string, environment: Record<string, string>, options: string[] = []): ChildProcess {
  return spawn(process.execPath, [...options, '--require', join(__dirname, 'from-sources.cjs'), file], {
    env: { PATH: process.env['PATH'] ?? '', NODE_ENV: 'test', ...environment },
    stdio: ['ignore', 'ignore', options.length > 0 ? 'ignore' : 'inherit', 'ipc'],
  });
}

export async function endOf(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** A TCP port that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
