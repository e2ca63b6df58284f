import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { sweepLeftover } from './claim';
import { requireFreePort } from './port';
import { complaintOfRedis } from './redis-ping';
import { emulationNotice, findRedisProgram } from './redis-program';
import { startRedisServer } from './redis-server';

export interface RedisOptions {
  /** Made when it does not exist; with it every write is kept and survives a restart (not with the emulation). */
  readonly dataDirectory?: string | undefined;
  /** 0 or none: any free port. */
  readonly port?: number | undefined;
}

export interface RunningRedis {
  readonly url: string;
  /** What answers: a real Redis or Valkey, a JavaScript emulation, or the server that REDIS_URL names. */
  readonly kind: 'redis' | 'valkey' | 'emulation' | 'external';
  /** The process id of the server; undefined for one that REDIS_URL names. */
  readonly pid: number | undefined;
  /** Resolves with the signal or the exit code when the server has ended; never for one that REDIS_URL names. */
  readonly exited: Promise<string>;
  /** Resolves when the server is gone; a server that REDIS_URL names is left alone. Calling it again is harmless. */
  stop(): Promise<void>;
}

/**
 * Gives a Redis: the one REDIS_URL names; else `redis-server` or `valkey-server` from the PATH, started on 127.0.0.1
 * with a password; else an emulation, announced on standard error.
 */
export async function startRedis(options: RedisOptions = {}): Promise<RunningRedis> {
  const external = process.env['REDIS_URL'];
  if (external) return useExternal(external);

  const dataDirectory = options.dataDirectory === undefined ? undefined : resolve(options.dataDirectory);
  const port = options.port ?? 0;
  if (dataDirectory !== undefined) {
    await mkdir(dataDirectory, { recursive: true });
    await sweepLeftover(dataDirectory);
  }
  if (port) await requireFreePort(port, 'Redis');
  const password = await passwordOf(dataDirectory);

  const program = findRedisProgram();
  if (program.kind === 'emulation') process.stderr.write(`${emulationNotice(dataDirectory)}\n`);
  const server = await startRedisServer(program, { dataDirectory, port, password });
  let stopped: Promise<void> | undefined;
  return {
    url: `redis://:${password}@127.0.0.1:${server.port}`,
    kind: program.kind,
    pid: server.pid,
    exited: server.exited,
    stop: () => (stopped ??= server.stop()),
  };
}

async function useExternal(url: string): Promise<RunningRedis> {
  const complaint = await complaintOfRedis(url);
  if (complaint !== undefined) throw new Error(`The Redis that REDIS_URL names cannot be used: ${complaint}`);
  return { url, kind: 'external', pid: undefined, exited: new Promise(() => undefined), stop: () => Promise.resolve() };
}

/** The password stays the same as long as the data does. */
async function passwordOf(dataDirectory: string | undefined): Promise<string> {
  const fresh = randomBytes(24).toString('hex');
  if (dataDirectory === undefined) return fresh;
  const file = join(dataDirectory, 'redis-password');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (/^[0-9a-f]{48}$/.test(kept)) return kept;
  await writeFile(file, fresh, { mode: 0o600 });
  return fresh;
}
