import { type TcpProxy, startTcpProxy, testRedis } from '@tributary/test-environment';
import type { Redis } from 'ioredis';
import { createLog } from '../runtime/log';
import { openRedis, openWorkerRedis, untilReady } from './redis';
import { isRedisUnavailable } from './unavailable';

/** Far above what the promise says, and far below "for ever": no test of the machine. */
const muchLongerMs = 15_000;
const log = createLog('test', 'silent');

async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve('still waiting'), muchLongerMs);
  });
  const outcome = await Promise.race([
    work.then(
      () => 'done',
      (error: unknown) => error,
    ),
    late,
  ]);
  clearTimeout(timer);
  return outcome;
}

describe('a Redis that hangs', () => {
  let proxy: TcpProxy;
  let redis: Redis;
  beforeEach(async () => {
    proxy = await startTcpProxy(testRedis().url);
  });
  afterEach(async () => {
    redis.disconnect();
    await proxy.close();
  });

  it(
    'fails the commands of requests, then refuses them at once, and serves again when it is back',
    async () => {
      redis = openRedis(proxy.url, log);
      await untilReady(redis);
      expect(await outcomeOf(redis.ping())).toBe('done');
      proxy.hang();
      const closed = new Promise((resolve) => redis.once('close', resolve));
      expect(isRedisUnavailable(await outcomeOf(redis.ping()))).toBe(true);
      expect(await outcomeOf(closed)).toBe('done');
      // The connection attempts hang, too: nothing is sent on them.
      for (let call = 0; call < 20; call++) expect(isRedisUnavailable(await outcomeOf(redis.ping()))).toBe(true);
      expect(redis.status).not.toBe('ready');
      proxy.resume();
      await untilReady(redis, muchLongerMs);
      expect(await outcomeOf(redis.ping())).toBe('done');
    },
    4 * muchLongerMs,
  );

  it(
    'is noticed by a subscriber that waits for messages',
    async () => {
      redis = openRedis(proxy.url, log);
      await untilReady(redis);
      await redis.subscribe('a channel');
      const closed = new Promise((resolve) => redis.once('close', resolve));
      proxy.hang();
      expect(await outcomeOf(closed)).toBe('done');
    },
    4 * muchLongerMs,
  );

  it(
    'lets the commands of a worker wait, and its connection be replaced, also one that was never ready',
    async () => {
      redis = openWorkerRedis(proxy.url, log);
      await untilReady(redis);
      proxy.hang();
      const replaced = new Promise((resolve) => redis.once('close', resolve));
      const waiting = redis.ping();
      expect(await outcomeOf(replaced)).toBe('done');
      const replacedAgain = new Promise((resolve) => redis.once('close', resolve));
      expect(await outcomeOf(replacedAgain)).toBe('done');
      proxy.resume();
      expect(await outcomeOf(waiting)).toBe('done');
    },
    4 * muchLongerMs,
  );
});
