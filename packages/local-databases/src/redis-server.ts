import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryLock } from './directory-lock';
import { startOnPort } from './port';
import { respondsToPing } from './redis-ping';
import type { RedisProgram } from './redis-program';
import { ServerProcess } from './server-process';

/** Redis and Valkey write their data to disk and end. */
const stopSignal = 'SIGTERM';

export interface RedisServer {
  readonly port: number;
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

interface Launch {
  readonly program: RedisProgram;
  readonly directory: string;
  readonly persistent: boolean;
  readonly password: string;
  readonly databases: number | undefined;
  readonly tls: RedisTls | undefined;
  readonly users: readonly string[];
}

/** Starts the server on 127.0.0.1; it is persistent (append-only file) only with a data directory. */
export async function startRedisServer(
  program: RedisProgram,
  {
    dataDirectory,
    port,
    password,
    databases,
    tls,
    users,
  }: Pick<Launch, 'password' | 'databases' | 'tls' | 'users'> & { dataDirectory: string | undefined; port: number },
): Promise<RedisServer> {
  const directory = dataDirectory ?? (await mkdtemp(join(tmpdir(), 'tributary-redis-')));
  const lock = await DirectoryLock.acquire(directory, stopSignal);
  const release = async (): Promise<void> => {
    await lock.release();
    if (dataDirectory === undefined) await rm(directory, { recursive: true, force: true });
  };
  try {
    const launch = { program, directory, persistent: dataDirectory !== undefined, password, databases, tls, users };
    const { server, port: actualPort } = await startOnPort(port, (free) => start(launch, free, lock));
    return { port: actualPort, pid: server.pid, exited: server.exited, stop: () => server.stop().then(release) };
  } catch (error) {
    await release();
    throw error;
  }
}

async function start(
  { program, directory, ...settings }: Launch,
  port: number,
  lock: DirectoryLock,
): Promise<ServerProcess> {
  const server = await ServerProcess.start({
    name: program.name,
    executable: program.executable,
    args: program.args,
    directory,
    environment: { PATH: process.env['PATH'], LC_ALL: 'C' },
    logFile: join(directory, 'redis.log'),
    stopSignal,
    input: configuration(directory, { ...settings, port }),
  });
  await lock.recordServer(server.pid);
  const { password, tls } = settings;
  const url = `${tls ? 'rediss' : 'redis'}://:${password}@127.0.0.1:${port}`;
  const connection = tls && { ca: readFileSync(tls.authority), minVersion: 'TLSv1.2' as const };
  await server.untilReady(() => respondsToPing(url, connection));
  return server;
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
  { port, password, persistent, databases, tls, users }: Omit<Launch, 'program' | 'directory'> & { port: number },
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
    `appendonly ${persistent ? 'yes' : 'no'}`,
    'daemonize no',
    '',
  ].join('\n');
}
