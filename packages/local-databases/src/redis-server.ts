import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryLock } from './directory-lock';
import { startOnPort } from './port';
import { connectionError } from './redis-ping';
import type { RedisProgram } from './redis-program';
import { ServerProcess } from './server-process';

/** Redis and Valkey write their data to disk and end. */
const stopSignal = 'SIGTERM';

/** A server that this process has started. */
export interface RedisServer {
  readonly url: string;
  readonly pid: number;
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

/** Paths of PEM files that the user of this process can read. */
export interface RedisTls {
  readonly certificate: string;
  readonly key: string;
  readonly authority: string;
}

/** How the server runs: persistent (append-only file) only with a data directory. */
export interface RedisSettings {
  readonly dataDirectory: string | undefined;
  readonly password: string;
  readonly databases: number | undefined;
  readonly tls: RedisTls | undefined;
  readonly users: readonly string[];
  /** Further lines of the configuration, made anew for each attempt to start. */
  readonly further?: () => Promise<readonly string[]>;
}

/** Starts the server on 127.0.0.1, on this port or on a free one for 0. */
export async function startRedisServer(
  program: RedisProgram,
  requestedPort: number,
  settings: RedisSettings,
): Promise<RedisServer> {
  const { dataDirectory } = settings;
  const directory = dataDirectory ?? (await mkdtemp(join(tmpdir(), 'tributary-redis-')));
  const lock = await DirectoryLock.acquire(directory, stopSignal);
  const release = async (): Promise<void> => {
    await lock.release();
    if (dataDirectory === undefined) await rm(directory, { recursive: true, force: true });
  };
  const launch = async (port: number): Promise<ServerProcess> => {
    const server = await ServerProcess.start({
      name: program.name,
      executable: program.executable,
      args: program.args,
      directory,
      environment: { PATH: process.env['PATH'], LC_ALL: 'C' },
      logFile: join(directory, 'redis.log'),
      stopSignal,
      input: configuration(directory, port, settings, (await settings.further?.()) ?? []),
    });
    await lock.recordServer(server.pid);
    const tls = settings.tls && { ca: readFileSync(settings.tls.authority), minVersion: 'TLSv1.2' as const };
    await server.untilReady(async () => (await connectionError(redisUrl(port, settings), tls)) === undefined);
    return server;
  };
  try {
    const { server, port } = await startOnPort(requestedPort, launch);
    const url = redisUrl(port, settings);
    let stopped: Promise<void> | undefined;
    return { url, pid: server.pid, exited: server.exited, stop: () => (stopped ??= server.stop().then(release)) };
  } catch (error) {
    await release();
    throw error;
  }
}

function redisUrl(port: number, { password, tls }: RedisSettings): string {
  return `${tls ? 'rediss' : 'redis'}://:${password}@127.0.0.1:${port}`;
}

/** Clients show no certificate: they have the password. */
function tlsPort(port: number, { certificate, key, authority }: RedisTls): string[] {
  return [
    'port 0',
    `tls-port ${port}`,
    `tls-cert-file ${JSON.stringify(certificate)}`,
    `tls-key-file ${JSON.stringify(key)}`,
    `tls-ca-cert-file ${JSON.stringify(authority)}`,
    'tls-auth-clients no',
    'tls-protocols "TLSv1.2 TLSv1.3"',
  ];
}

/** The configuration for standard input. Eviction is off, because evicted keys of a queue would be lost jobs. */
function configuration(
  directory: string,
  port: number,
  { dataDirectory, password, databases, tls, users }: RedisSettings,
  further: readonly string[],
): string {
  return [
    'bind 127.0.0.1',
    ...(tls ? tlsPort(port, tls) : [`port ${port}`]),
    `dir ${JSON.stringify(directory)}`,
    `requirepass ${password}`,
    ...users,
    'maxmemory-policy noeviction',
    'save ""',
    ...(databases === undefined ? [] : [`databases ${databases}`]),
    `appendonly ${dataDirectory === undefined ? 'no' : 'yes'}`,
    ...further,
    'daemonize no',
    '',
  ].join('\n');
}
