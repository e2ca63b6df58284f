import { startTcpProxy, testRedis, waitUntil } from '@tributary/test-environment';
import { type RedisClient, openRedis, untilReady } from '../databases/redis';
import { createLog } from '../runtime/log';
import { type LimitResult, RequestLimit, type RequestLimitOptions } from './request-limit';
import { TokenBuckets } from './token-buckets';

const log = createLog('test', 'silent');
const day = 86_400;

describe('RequestLimit', () => {
  const { url, prefix } = testRedis();
  let redis: RedisClient;
  beforeAll(async () => {
    redis = openRedis(url, log);
    await untilReady(redis);
  });
  afterAll(() => redis.quit());

  let buckets: TokenBuckets;
  let asked: jest.SpyInstance;
  let nextName = 0;
  beforeEach(() => {
    buckets = new TokenBuckets(redis, prefix);
    asked = jest.spyOn(buckets, 'take');
  });

  function limitOf(quota: number, more: Partial<RequestLimitOptions> = {}): RequestLimit {
    const policy = { quota, windowSeconds: quota < 10_000 ? day / 100 : 60 };
    return new RequestLimit({ name: `limit-${nextName++}`, policy, buckets, withoutRedis: 'admit', ...more });
  }

  const takeMany = (limit: RequestLimit, count: number): Promise<LimitResult[]> =>
    Promise.all(Array.from({ length: count }, () => limit.take('one')));
  const allowed = (results: readonly LimitResult[]): number => results.filter((result) => result.allowed).length;

  it.each([
    ['leased', 100_000],
    ['asked each time', 5],
  ])('tells whether tokens are left, and takes none, when it is %s', async (_name, quota) => {
    const limit = limitOf(quota);
    for (let i = 0; i < 10; i++) expect(limit.peek('one')).toMatchObject({ allowed: true, remaining: quota });
    expect(asked).not.toHaveBeenCalled();
    await limit.take('one', quota);
    expect(limit.peek('another')).toMatchObject({ allowed: true });
    if (quota === 5) expect(limit.peek('one')).toMatchObject({ allowed: false, remaining: 0 });
    else expect(limit.peek('one').remaining).toBeLessThan(quota);
  });

  it.each([
    ['leased', 600],
    ['asked each time', 50],
  ])('is read exactly, and not used by reading, when it is %s', async (_name, quota) => {
    const limit = limitOf(quota, { clock: () => 0 });
    const replica = new RequestLimit({ name: limit.name, policy: limit.policy, buckets, withoutRedis: 'admit' });
    expect(await limit.read('one')).toMatchObject({ remaining: quota, resetSeconds: 0 });
    await takeMany(limit, 37);
    for (let i = 0; i < 5; i++) expect(await limit.read('one')).toMatchObject({ allowed: true });
    // A whole token can have been filled since.
    expect([quota - 37, quota - 36]).toContain((await limit.read('one')).remaining);
    expect((await limit.read('another')).remaining).toBe(quota);
    const elsewhere = (await replica.read('one')).remaining;
    expect(elsewhere).toBeLessThanOrEqual(quota - 36);
    expect(elsewhere).toBeGreaterThanOrEqual(quota - 37 - quota / 10);
  });

  it('cannot be read without Redis', async () => {
    asked.mockRejectedValue(new Error('away'));
    await expect(limitOf(10).read('one')).rejects.toMatchObject({ status: 503 });
  });

  it('asks Redis once in many requests of a busy key', async () => {
    const limit = limitOf(100_000, { clock: () => 0 });
    for (let i = 0; i < 3000; i++) expect((await limit.take('one')).allowed).toBe(true);
    expect(asked.mock.calls.length).toBeLessThan(30);
  });

  it('admits the first request of a key before Redis has answered', async () => {
    asked.mockReturnValue(new Promise(() => undefined));
    expect(await limitOf(1000).take('one')).toMatchObject({ allowed: true, remaining: 999 });
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('admits the quota of all replicas together, and at most one lease and one request of each more', async () => {
    const policy = { quota: 200, windowSeconds: 2000 };
    const other = new TokenBuckets(redis, prefix);
    const replicas = [buckets, other].map((each) => limitOf(0, { name: 'shared', policy, buckets: each }));
    const began = performance.now();
    let admitted = 0;
    for (let round = 0; round < 8; round++)
      admitted += allowed((await Promise.all(replicas.map((limit) => takeMany(limit, 40)))).flat());
    expect(admitted).toBeGreaterThanOrEqual(200);
    // Redis adds a token in ten seconds.
    const added = Math.ceil((performance.now() - began) / 10_000);
    expect(admitted).toBeLessThanOrEqual(200 + added + 2 * (20 + 1));
  });

  it('refuses without asking Redis until a token can be there', async () => {
    const limit = limitOf(0, { policy: { quota: 100, windowSeconds: 500 }, clock: () => 0 });
    const began = performance.now();
    const admitted = allowed(await takeMany(limit, 130));
    expect(admitted).toBeGreaterThanOrEqual(100);
    // Redis adds a token in five seconds.
    expect(admitted).toBeLessThanOrEqual(100 + Math.ceil((performance.now() - began) / 5000));
    const before = asked.mock.calls.length;
    const refused = await limit.take('one');
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    expect(refused.retryAfterSeconds).toBeGreaterThanOrEqual(1);
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(5);
    expect(refused.resetSeconds).toBeGreaterThan(490 - (performance.now() - began) / 1000);
    expect(asked).toHaveBeenCalledTimes(before);
    expect((await limit.take('another')).allowed).toBe(true);
  });

  it('gives the rest of a large lease back after ten seconds', async () => {
    let now = 0;
    const limit = limitOf(1000, { clock: () => now });
    for (let i = 0; i < 100; i++) {
      await limit.take('one');
      await asked.mock.results.at(-1)?.value;
    }
    now = 10_001;
    await limit.take('one');
    const [, , , { returned, wanted }] = asked.mock.calls.at(-1) as Parameters<TokenBuckets['take']>;
    expect(returned).toBeGreaterThan(0);
    expect(wanted).toBe(10);
  });

  it('counts a costly request, at most as the whole quota', async () => {
    const limit = limitOf(50);
    expect((await limit.take('one', 20)).remaining).toBe(30);
    expect((await limit.take('two', 1000)).allowed).toBe(true);
    expect((await limit.take('two')).allowed).toBe(false);
  });

  it('gives tokens back', async () => {
    const limit = limitOf(50);
    await limit.take('one', 50);
    expect((await limit.take('one')).allowed).toBe(false);
    limit.giveBack('one', 20);
    expect((await limit.take('one')).remaining).toBe(19);
  });

  it('asks Redis for every request when the bucket fills slowly', async () => {
    const policy = { quota: 3, windowSeconds: day };
    const replicas = [0, 1].map(() => limitOf(0, { name: 'slow', policy }));
    const results = await Promise.all(replicas.map((limit) => takeMany(limit, 5)));
    expect(allowed(results.flat())).toBe(3);
  });

  describe('without Redis', () => {
    const slow = { quota: 3, windowSeconds: day };

    it.each([
      ['leased', { quota: 60, windowSeconds: 500 }],
      ['slow', slow],
    ])('a %s limit that admits counts in this process', async (_what, policy) => {
      const away = openRedis(url, log);
      away.disconnect();
      const limit = limitOf(0, { policy, buckets: new TokenBuckets(away, prefix), clock: () => 0 });
      expect(allowed(await takeMany(limit, policy.quota + 20))).toBe(policy.quota);
    });

    it('a limit that refuses throws a 503', async () => {
      const away = openRedis(url, log);
      away.disconnect();
      const limit = limitOf(10, { buckets: new TokenBuckets(away, prefix), withoutRedis: 'refuse' });
      await expect(limit.take('one')).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '2' } });
    });

    it('a limit that admits does not wait twice for a Redis that hangs, and counts in Redis again later', async () => {
      const proxy = await startTcpProxy(url);
      const hanging = openRedis(proxy.url, log);
      await untilReady(hanging);
      const through = new TokenBuckets(hanging, prefix);
      const ask = jest.spyOn(through, 'take');
      const limit = limitOf(0, { policy: { quota: 100, windowSeconds: 500 }, buckets: through });
      proxy.hang();
      expect(allowed(await takeMany(limit, 50))).toBe(50);
      const askedWhileHanging = ask.mock.calls.length;
      expect(askedWhileHanging).toBeLessThanOrEqual(2);
      proxy.resume();
      await untilReady(hanging);
      await waitUntil(() => through.isAvailable);
      await takeMany(limit, 20);
      await takeMany(limit, 20);
      expect(ask.mock.calls.length).toBeGreaterThan(askedWhileHanging);
      hanging.disconnect();
      await proxy.close();
    });
  });
});
