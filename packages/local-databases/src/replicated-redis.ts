import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findFreePort, startOnPort } from './port';
import { connectionError } from './redis-ping';
import { findRedisProgram, installCommand } from './redis-program';
import { type RedisServer, startRedisServer } from './redis-server';
import { ServerProcess } from './server-process';

/** Several servers of Redis, one of which takes over when another one fails. They keep nothing on disk. */
export interface ReplicatedRedis {
  /** The servers, or the sentinels, with the password of the default user. */
  readonly url: string;
  /** The value of REDIS_MODE for this URL. */
  readonly mode: 'cluster' | 'sentinel';
  readonly servers: readonly RedisServer[];
  stop(): Promise<void>;
}

interface Options {
  /** Users beside the default one, as lines of an ACL file. */
  readonly users?: readonly string[] | undefined;
}

/** After how long a server that does not respond has failed, in milliseconds. */
const failedAfterMs = 1500;
const readyWithinMs = 60_000;

/** A cluster of three primaries with a replica each. */
export async function startRedisCluster({ users }: Options = {}): Promise<ReplicatedRedis> {
  const password = randomBytes(24).toString('hex');
  const servers = await startAll(6, () =>
    startServer(password, users, async () => [
      'cluster-enabled yes',
      `cluster-port ${await findFreePort()}`,
      `cluster-node-timeout ${failedAfterMs}`,
      // A cluster without some of its keys serves the others, as an operator expects of three servers.
      'cluster-require-full-coverage no',
    ]),
  );
  const addresses = servers.map(({ url }) => new URL(url).host);
  try {
    await runCli(password, ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes']);
    await until(async () => {
      const states = await Promise.all(servers.map(({ url }) => ask(url, (redis) => redis.cluster('INFO'))));
      return states.every((state) => String(state).includes('cluster_state:ok'));
    }, 'the cluster has all slots');
  } catch (error) {
    await stopAll(servers);
    throw error;
  }
  return {
    url: `redis://:${password}@${addresses.slice(0, 3).join(',')}`,
    mode: 'cluster',
    servers,
    stop: () => stopAll(servers),
  };
}

/** A primary with two replicas, and three sentinels that choose another primary when it fails. */
export async function startRedisSentinels({ users }: Options = {}): Promise<ReplicatedRedis> {
  const password = randomBytes(24).toString('hex');
  const started: { stop(): Promise<void> }[] = [];
  try {
    const primary = await startServer(password, users);
    started.push(primary);
    const { port } = new URL(primary.url);
    const replicas = await startAll(2, () => startServer(password, users, async () => [`replicaof 127.0.0.1 ${port}`]));
    started.push(...replicas);
    const sentinels = await startAll(3, () => startSentinel(password, Number(port)));
    started.push(...sentinels);
    await until(async () => {
      const known = await Promise.all(
        sentinels.map(({ url }) => ask(url, (redis) => redis.call('SENTINEL', 'REPLICAS', 'mymaster'))),
      );
      const others = await Promise.all(
        sentinels.map(({ url }) => ask(url, (redis) => redis.call('SENTINEL', 'SENTINELS', 'mymaster'))),
      );
      const areAll = (list: unknown, count: number): boolean => Array.isArray(list) && list.length === count;
      return known.every((list) => areAll(list, 2)) && others.every((list) => areAll(list, 2));
    }, 'the sentinels know each other and all servers');
    return {
      url: `redis://:${password}@${sentinels.map(({ url }) => new URL(url).host).join(',')}`,
      mode: 'sentinel',
      servers: [primary, ...replicas],
      stop: () => stopAll(started),
    };
  } catch (error) {
    await stopAll(started);
    throw error;
  }
}

function startServer(
  password: string,
  users: readonly string[] = [],
  linesOf: () => Promise<string[]> = () => Promise.resolve([]),
): Promise<RedisServer> {
  const program = findRedisProgram();
  if (program.kind === 'emulation')
    throw new Error(`The emulation of Redis has no replicas. To install the real one: ${installCommand()}`);
  return startRedisServer(program, 0, {
    dataDirectory: undefined,
    password,
    databases: undefined,
    tls: undefined,
    users,
    further: async () => [...(await linesOf()), `masterauth ${password}`, 'repl-diskless-sync-delay 0'],
  });
}

/** A sentinel writes what it learns into its configuration, which it therefore cannot read from standard input. */
async function startSentinel(password: string, primaryPort: number): Promise<{ url: string; stop(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'tributary-sentinel-'));
  const { executable } = findRedisProgram();
  const { server, port } = await startOnPort(0, async (own) => {
    const lines = [
      'bind 127.0.0.1',
      `port ${own}`,
      `dir ${JSON.stringify(directory)}`,
      `sentinel monitor mymaster 127.0.0.1 ${primaryPort} 2`,
      `sentinel auth-pass mymaster ${password}`,
      `sentinel down-after-milliseconds mymaster ${failedAfterMs}`,
      'sentinel failover-timeout mymaster 5000',
    ];
    const file = join(directory, 'sentinel.conf');
    await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    const sentinel = await ServerProcess.start({
      name: 'Redis Sentinel',
      executable,
      args: [file, '--sentinel'],
      directory,
      environment: { PATH: process.env['PATH'], LC_ALL: 'C' },
      logFile: join(directory, 'sentinel.log'),
      stopSignal: 'SIGTERM',
    });
    await sentinel.untilReady(async () => (await connectionError(`redis://127.0.0.1:${own}`)) === undefined);
    return sentinel;
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Starts several, and none when one of them does not start. */
async function startAll<Server extends { stop(): Promise<void> }>(
  count: number,
  start: () => Promise<Server>,
): Promise<Server[]> {
  const results = await Promise.allSettled(Array.from({ length: count }, () => start()));
  const started = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const failed = results.find((result) => result.status === 'rejected');
  if (!failed) return started;
  await stopAll(started);
  throw failed.reason;
}

async function stopAll(servers: readonly { stop(): Promise<void> }[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}

async function runCli(password: string, words: string[]): Promise<void> {
  const cli = spawn('redis-cli', words, {
    env: { PATH: process.env['PATH'], REDISCLI_AUTH: password },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [cli.stdout, cli.stderr]) stream.on('data', (chunk) => (printed += String(chunk)));
  const [code] = (await once(cli, 'close')) as [number];
  if (code !== 0) throw new Error(`redis-cli failed: ${printed}`);
}

async function ask<Reply>(url: string, question: (redis: Redis) => Promise<Reply>): Promise<Reply | undefined> {
  const redis = new Redis(url, { retryStrategy: () => null, maxRetriesPerRequest: 0, disconnectTimeout: 100 });
  redis.on('error', () => undefined);
  try {
    return await question(redis);
  } catch {
    return undefined;
  } finally {
    redis.disconnect();
  }
}

async function until(isTrue: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + readyWithinMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`not within ${readyWithinMs / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
