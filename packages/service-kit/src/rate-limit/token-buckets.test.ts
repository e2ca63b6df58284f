import { testRedis } from '@tributary/test-environment';
import fc from 'fast-check';
import { type RedisClient, openRedis, untilReady } from '../databases/redis';
import { createLog } from '../runtime/log';
import { type Taking, TokenBuckets } from './token-buckets';

const log = createLog('test', 'silent');
/** So slow that a test sees no new token. */
const day = 86_400;

describe('TokenBuckets', () => {
  const { url, prefix } = testRedis();
  let redis: RedisClient;
  let nextKey = 0;
  const newKey = (): string => `key-${nextKey++}`;
  beforeAll(async () => {
    redis = openRedis(url, log);
    await untilReady(redis);
  });
  afterAll(() => redis.quit());

  const one: Taking = { wanted: 1, least: 1, returned: 0 };

  it('grants the quota once over all replicas', async () => {
    const other = openRedis(url, log);
    await untilReady(other);
    const replicas = [new TokenBuckets(redis, prefix), new TokenBuckets(other, prefix)];
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_x, i) => replicas[i % 2]!.take('a', key, { quota: 10, windowSeconds: day }, one)),
    );
    expect(answers.filter(({ granted }) => granted === 1)).toHaveLength(10);
    await other.quit();
  });

  it('grants, keeps and takes back tokens as a model of a bucket does', async () => {
    const buckets = new TokenBuckets(redis, prefix);
    const amount = fc.nat(30);
    const taking = fc.record({ wanted: amount, least: amount, returned: amount });
    const policies = fc.record({ quota: fc.integer({ min: 1, max: 40 }), windowSeconds: fc.constant(day) });
    await fc.assert(
      fc.asyncProperty(policies, fc.array(taking, { maxLength: 12 }), async (policy, takings) => {
        const key = newKey();
        let held = policy.quota;
        for (const each of takings) {
          const answer = await buckets.take('model', key, policy, each);
          held = Math.min(policy.quota, held + each.returned);
          const granted = held >= each.least ? Math.min(each.wanted, held) : 0;
          held -= granted;
          expect(answer.granted).toBe(granted);
          // The bucket fills by less than a token in the time of the test.
          expect(Math.floor(answer.left)).toBe(held);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('fills a bucket by no more than its rate, and fills it again', async () => {
    const buckets = new TokenBuckets(redis, prefix);
    const key = newKey();
    const policy = { quota: 50, windowSeconds: 1 };
    const began = performance.now();
    let granted = 0;
    while (granted < 120) granted += (await buckets.take('rate', key, policy, one)).granted;
    const seconds = (performance.now() - began) / 1000;
    expect(seconds).toBeGreaterThanOrEqual((120 - 50) / 50 - 0.01);
  });

  it('survives a clock that was ahead, and one that was behind', async () => {
    const buckets = new TokenBuckets(redis, prefix);
    const policy = { quota: 10, windowSeconds: day };
    const key = newKey();
    await redis.hset(`{${prefix}:clock:${key}}`, { tokens: '3', at: '99999999999999' });
    expect(await buckets.take('clock', key, policy, { wanted: 2, least: 2, returned: 0 })).toMatchObject({
      granted: 2,
    });
    await redis.hset(`{${prefix}:clock:${key}}`, { tokens: '1', at: '0' });
    const { granted, left } = await buckets.take('clock', key, policy, { wanted: 4, least: 0, returned: 0 });
    expect([granted, left]).toEqual([4, 6]);
  });

  it('keeps a bucket until it is full', async () => {
    const buckets = new TokenBuckets(redis, prefix);
    const key = newKey();
    await buckets.take('kept', key, { quota: 100, windowSeconds: 100 }, { wanted: 30, least: 0, returned: 0 });
    const ms = await redis.pttl(`{${prefix}:kept:${key}}`);
    expect(ms).toBeGreaterThan(0);
    expect(ms).toBeLessThanOrEqual(31_000);
  });
});
