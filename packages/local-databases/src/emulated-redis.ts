import type { AddressInfo, Socket } from 'node:net';
import { createRedisCommandExecutor, RedisServerState, Resp2Server } from 'js-redis-server/core';
import { findExecutable } from './executable';

export interface EmulatedRedis {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * Redis spoken by JavaScript inside this process, on 127.0.0.1 alone: right for trying things out, far slower than
 * the real one, and it keeps nothing on disk.
 */
export async function startEmulatedRedis({ port, password }: { port: number; password: string }): Promise<EmulatedRedis> {
  const state = new RedisServerState({ databaseCount: 16, requirepass: password });
  const { server } = new Resp2Server({ server: state, executor: createRedisCommandExecutor() });
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          state.close();
          resolve();
        });
        for (const socket of connections) socket.destroy();
      }),
  };
}

/** What the person at the terminal must know before trusting anything to the emulation. */
export function emulationNotice(dataDirectory: string | undefined): string {
  return [
    'No redis-server or valkey-server is on the PATH: a JavaScript EMULATION of Redis takes its place.',
    `It is slow${dataDirectory === undefined ? '' : ' and keeps nothing on disk'}. To install the real one: ${installCommand()}`,
  ].join('\n');
}

const installCommands: readonly (readonly [program: string, command: string])[] = [
  ['brew', 'brew install redis'],
  ['apt-get', 'sudo apt-get install --yes redis-server'],
  ['dnf', 'sudo dnf install --assumeyes valkey'],
  ['pacman', 'sudo pacman -S --noconfirm valkey'],
  ['zypper', 'sudo zypper install --no-confirm redis'],
];

function installCommand(): string {
  const known = installCommands.find(([program]) => findExecutable(program));
  return known ? known[1] : 'see https://redis.io/docs/latest/operate/oss_and_stack/install/';
}
