import { randomUUID } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ReplicatedRedis, startRedisCluster, startRedisSentinels } from '@tributary/local-databases';
import { waitUntil } from '@tributary/test-environment';
import type { Redis } from 'ioredis';
import { readConfig, redisConfig } from '../config/read-config';
import { TokenBuckets } from '../rate-limit/token-buckets';
import { createLog } from '../runtime/log';
import { type RedisClient, openRedis, openRedisSubscriber, openWorkerRedis, primariesOf, untilReady } from './redis';
import { isRedisUnavailable } from './unavailable';

const log = createLog('test', 'silent');
/** A command of a request ends within it, also on a busy machine. */
const commandMs = 4000;
const username = 'tributary';
const passwords = ['the first password', 'the second password'] as const;

describe.each([
  ['a cluster', startRedisCluster],
  ['servers with sentinels', startRedisSentinels],
] as const)('%s of Redis', (_name, start) => {
  let replicated: ReplicatedRedis;
  let folder: string;
  const file = (): string => join(folder, 'password');
  const write = (...lines: string[]): void => {
    writeFileSync(`${file()}.new`, lines.join('\n'));
    renameSync(`${file()}.new`, file());
  };
  const open: { disconnect(): void }[] = [];
  const kept = <Connection extends { disconnect(): void }>(connection: Connection): Connection => {
    open.push(connection);
    return connection;
  };
  /** As a service has them. */
  const settings = () =>
    readConfig(redisConfig, {
      SANDBOX_MODE: 'true',
      REDIS_MODE: replicated.mode,
      REDIS_URL: replicated.url.replace(/:\/\/.*@/, `://${username}@`),
      REDIS_PASSWORD_FILE: file(),
    });
  const onAll = (...words: [string, ...string[]]): Promise<unknown[]> =>
    Promise.all(
      replicated.servers.map(async ({ url }) => {
        const redis = openWorkerRedis(url, log);
        try {
          return await redis.call(...words);
        } finally {
          redis.disconnect();
        }
      }),
    );
  const setUser = (...rules: string[]): Promise<unknown> =>
    onAll('ACL', 'SETUSER', username, 'on', '~*', '&*', '+@all', ...rules);

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'replicated-redis-'));
    replicated = await start();
    write(passwords[0]);
    await setUser(`>${passwords[0]}`);
  });
  afterEach(async () => {
    for (const connection of open.splice(0)) connection.disconnect();
    await replicated.stop();
    rmSync(folder, { recursive: true });
  });

  async function ready(redis: RedisClient): Promise<RedisClient> {
    await untilReady(kept(redis));
    return redis;
  }

  /** The process of the primary that has a key. */
  async function primaryOf(key: string): Promise<{ pid: number; url: string }> {
    for (const server of replicated.servers) {
      const direct = openRedis(server.url, log);
      try {
        await untilReady(direct, 1000);
        await direct.get(key);
        if (((await direct.call('ROLE')) as [string])[0] === 'master') return server;
      } catch {
        // The server has ended, or another one has the key.
      } finally {
        direct.disconnect();
      }
    }
    throw new Error('no primary has the key');
  }

  it('has the commands, scripts and transactions of one', async () => {
    const redis = await ready(openRedis(settings(), log));
    const ids = Array.from({ length: 20 }, () => randomUUID());
    for (const id of ids) await redis.set(id, `value of ${id}`);
    expect(await Promise.all(ids.map((id) => redis.get(id)))).toEqual(ids.map((id) => `value of ${id}`));
    const buckets = new TokenBuckets(redis);
    const policy = { quota: 5, windowSeconds: 60 };
    const takes = ids.map((id) => buckets.take('test', id, policy, { wanted: 2, least: 1, returned: 0 }));
    expect((await Promise.all(takes)).map(({ granted }) => granted)).toEqual(ids.map(() => 2));
    const [one, other] = [`{${ids[0]}}:one`, `{${ids[0]}}:other`];
    await redis.multi().rpush(one, 'a').set(other, 'b').exec();
    expect([await redis.llen(one), await redis.get(other)]).toEqual([1, 'b']);
    const found: string[] = [];
    for (const server of primariesOf(redis))
      for await (const keys of server.scanStream({ match: `{${ids[0]}}:*` }) as AsyncIterable<string[]>)
        found.push(...keys);
    expect(found.sort()).toEqual([one, other].sort());
  });

  it('replaces its password without a failed command while connections and their duplicates break', async () => {
    const worker = await ready(openWorkerRedis(settings(), log));
    const duplicate = await ready(worker.duplicate() as RedisClient);
    const answers = async (): Promise<unknown[]> => {
      await onAll('CLIENT', 'KILL', 'USER', username);
      return Promise.all([worker, duplicate].map((connection) => connection.set(randomUUID(), '1')));
    };
    await setUser(`>${passwords[1]}`);
    write(...passwords);
    expect(await answers()).toEqual(['OK', 'OK']);
    write(passwords[1]);
    expect(await answers()).toEqual(['OK', 'OK']);
    await setUser(`<${passwords[0]}`);
    expect(await answers()).toEqual(['OK', 'OK']);
  });

  it.each(['is killed', 'hangs'])('serves again, subscribers too, after a primary %s', async (what) => {
    const redis = await ready(openRedis(settings(), log));
    const worker = await ready(openWorkerRedis(settings(), log));
    const subscriber = kept(openRedisSubscriber(settings(), log));
    const received: string[] = [];
    subscriber.on('message', (_channel: string, message: string) => received.push(message));
    subscriber.on('ready', () => void subscriber.subscribe('news').catch(() => undefined));
    const key = randomUUID();
    await redis.set(key, 'before');
    const { pid } = await primaryOf(key);
    process.kill(pid, what === 'hangs' ? 'SIGSTOP' : 'SIGKILL');
    try {
      const waiting = worker.set(key, 'while it fails');
      await waitUntil(async () => {
        const startedAt = performance.now();
        const outcome = await redis.set(key, 'after').catch((error: unknown) => error);
        expect(performance.now() - startedAt).toBeLessThan(commandMs);
        if (outcome !== 'OK') expect([outcome, isRedisUnavailable(outcome)]).toEqual([outcome, true]);
        return outcome === 'OK';
      }, 'another server takes over');
      await waiting;
      await waitUntil(async () => {
        await redis.publish('news', what).catch(() => 0);
        return received.includes(what);
      }, 'the subscriber receives messages');
    } finally {
      if (what === 'hangs') process.kill(pid, 'SIGCONT');
    }
  });
});

it('takes several servers only with their mode', () => {
  const open = (): Redis | RedisClient => openRedis('redis://one:6379,two:6379', log);
  expect(open).toThrow('REDIS_URL names several servers');
});
