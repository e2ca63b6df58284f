import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stopAbandonedServer } from './directory-lock';
import { requireFreePort } from './port';
import { connectionError } from './redis-ping';
import { emulationNotice, findRedisProgram, installCommand } from './redis-program';
import { type RedisTls, startRedisServer } from './redis-server';

export interface RedisOptions {
  /** Created when it does not exist. With it the data is persistent, except with the emulation. */
  readonly dataDirectory?: string | undefined;
  /** 0 or absent: any free port. */
  readonly port?: number | undefined;
  /** The number of databases; 16 by default. */
  readonly databases?: number | undefined;
  /** The certificate of the server. With it, the server accepts only connections that are encrypted. */
  readonly tls?: RedisTls | undefined;
  /** Users beside the default one, as lines of an ACL file. The emulation and an external server do not have them. */
  readonly users?: readonly string[] | undefined;
}

export interface RunningRedis {
  readonly url: string;
  /** A Redis or Valkey process, the JavaScript emulation, or the server of REDIS_URL. */
  readonly kind: 'redis' | 'valkey' | 'emulation' | 'external';
  /** The process id of the server; undefined for the server of REDIS_URL. */
  readonly pid: number | undefined;
  /** Resolves with the signal or the exit code when the server has ended; never for the server of REDIS_URL. */
  readonly exited: Promise<string>;
  /** Stops the server and resolves when it has ended; does nothing to the server of REDIS_URL. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Provides a Redis: the server of REDIS_URL, otherwise `redis-server` or `valkey-server` from the PATH, started on
 * 127.0.0.1 with a password, otherwise the emulation, with a warning on standard error.
 */
export async function startRedis(options: RedisOptions = {}): Promise<RunningRedis> {
  const external = process.env['REDIS_URL'];
  if (external) return useExternal(external);

  const dataDirectory = options.dataDirectory === undefined ? undefined : resolve(options.dataDirectory);
  const port = options.port ?? 0;
  if (dataDirectory !== undefined) {
    await mkdir(dataDirectory, { recursive: true });
    await stopAbandonedServer(dataDirectory);
  }
  if (port) await requireFreePort(port, 'Redis');
  const password = await passwordOf(dataDirectory);

  const program = findRedisProgram();
  if (program.kind === 'emulation' && !options.tls) process.stderr.write(`${emulationNotice(dataDirectory)}\n`);
  if (options.tls && program.kind === 'emulation')
    throw new Error(`The emulation of Redis has no TLS. To install the real one: ${installCommand()}`);
  const { databases, tls, users = [] } = options;
  const server = await startRedisServer(program, port, { dataDirectory, password, databases, tls, users });
  return { ...server, kind: program.kind };
}

async function useExternal(url: string): Promise<RunningRedis> {
  const error = await connectionError(url);
  if (error !== undefined) throw new Error(`The Redis of REDIS_URL cannot be used: ${error}`);
  return { url, kind: 'external', pid: undefined, exited: new Promise(() => undefined), stop: () => Promise.resolve() };
}

/** The password of the data directory; it is created once. */
async function passwordOf(dataDirectory: string | undefined): Promise<string> {
  const fresh = randomBytes(24).toString('hex');
  if (dataDirectory === undefined) return fresh;
  const file = join(dataDirectory, 'redis-password');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (/^[0-9a-f]{48}$/.test(kept)) return kept;
  await writeFile(file, fresh, { mode: 0o600 });
  return fresh;
}
