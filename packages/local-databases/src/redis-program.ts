import { join } from 'node:path';
import { findExecutable } from './executable';

/** A program that reads a Redis configuration from standard input. */
export interface RedisProgram {
  readonly kind: 'redis' | 'valkey' | 'emulation';
  readonly name: string;
  readonly executable: string;
  readonly args: readonly string[];
}

/** The Redis or Valkey on the PATH, otherwise the emulation. */
export function findRedisProgram(): RedisProgram {
  const redis = findExecutable('redis-server');
  if (redis) return { kind: 'redis', name: 'Redis', executable: redis, args: ['-'] };
  const valkey = findExecutable('valkey-server');
  if (valkey) return { kind: 'valkey', name: 'Valkey', executable: valkey, args: ['-'] };
  return {
    kind: 'emulation',
    name: 'The emulation of Redis',
    executable: process.execPath,
    args: [join(__dirname, '..', 'launch', 'emulated-redis.js')],
  };
}

/** The warning about the limits of the emulation. */
export function emulationNotice(dataDirectory: string | undefined): string {
  return [
    'No redis-server or valkey-server is on the PATH: a JavaScript EMULATION of Redis is used instead.',
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

/** How to install Redis on this machine. */
export function installCommand(): string {
  const known = installCommands.find(([program]) => findExecutable(program));
  return known ? known[1] : 'see https://redis.io/docs/latest/operate/oss_and_stack/install/';
}
