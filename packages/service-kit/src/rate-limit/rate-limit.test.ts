import { startTcpProxy, testRedis } from '@tributary/test-environment';
import request from 'supertest';
import { Api } from '../api/api';
import { anyone } from '../api/authentication';
import { type RedisClient, openRedis, untilReady } from '../databases/redis';
import { createLog } from '../runtime/log';
import { rateLimit } from './rate-limit';
import { testApi } from '../../test/test-api';

describe('rateLimit', () => {
  const log = createLog('test', 'silent');
  const { url, prefix } = testRedis();
  let redis: RedisClient;
  beforeAll(async () => {
    redis = openRedis(url, log);
    await untilReady(redis);
  });
  afterAll(() => redis.quit());

  function app(name: string, limit: number, windowMs: number): ReturnType<Api['express']> {
    const limits = [rateLimit({ redis, name: prefix + name, limit, windowMs, keyOf: () => 'one' })];
    return testApi()
      .route(
        { method: 'get', path: '/', operationId: 'x', summary: '', authentication: anyone, limits, responses: {} },
        () => ({ ok: true }),
      )
      .express();
  }

  it('admits exactly the limit over all replicas, then responds with Retry-After', async () => {
    const replicas = [app('shared', 10, 60_000), app('shared', 10, 60_000)];
    const answers = await Promise.all(Array.from({ length: 24 }, (_x, i) => request(replicas[i % 2]!).get('/')));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(10);
    const refused = answers.filter((answer) => answer.status === 429);
    expect(refused).toHaveLength(14);
    expect(refused[0]!.body).toMatchObject({ success: false, error_code: 'too_many_requests' });
    expect(Number(refused[0]!.headers['retry-after'])).toBeGreaterThan(50);
    expect(refused[0]!.headers['ratelimit-limit']).toBe('10');
  });

  it('removes a call from the count one window after it', async () => {
    const windowMs = 600_000;
    const rolling = app('rolling', 2, windowMs);
    const status = async (): Promise<number> => (await request(rolling).get('/')).status;
    expect([await status(), await status(), await status()]).toEqual([200, 200, 429]);
    // As if the first call had been one window ago.
    const [key = ''] = await redis.keys('rate-limit:*rolling:*');
    const [first = '', at] = await redis.zrange(key, 0, 0, 'WITHSCORES');
    await redis.zadd(key, Number(at) - windowMs, first);
    expect([await status(), await status()]).toEqual([200, 429]);
  });

  it('is read exactly, and not used by reading', async () => {
    const limit = rateLimit({ redis, name: `${prefix}read`, limit: 3, windowMs: 600_000, keyOf: () => 'one' });
    const limited = testApi()
      .route(
        {
          method: 'get',
          path: '/',
          operationId: 'x',
          summary: '',
          authentication: anyone,
          limits: [limit],
          responses: {},
        },
        () => ({ ok: true }),
      )
      .express();
    expect(await limit.read('one')).toEqual({ remaining: 3, resetSeconds: 0 });
    for (const remaining of [2, 1, 0]) {
      expect((await request(limited).get('/')).status).toBe(200);
      for (let i = 0; i < 3; i++) expect((await limit.read('one')).remaining).toBe(remaining);
    }
    expect((await request(limited).get('/')).status).toBe(429);
    expect((await limit.read('one')).resetSeconds).toBeGreaterThan(590);
    expect((await limit.read('another')).remaining).toBe(3);
    const [key = ''] = await redis.keys('rate-limit:*read:one');
    const [first = '', at] = await redis.zrange(key, 0, 0, 'WITHSCORES');
    await redis.zadd(key, Number(at) - 600_000, first);
    expect((await limit.read('one')).remaining).toBe(1);
    expect(await redis.zcard(key)).toBe(3);
  });

  it('responds with 503 while Redis is unreachable', async () => {
    const away = openRedis(url, log);
    away.disconnect();
    const limits = [rateLimit({ redis: away, name: 'away', limit: 1, windowMs: 1000, keyOf: () => 'one' })];
    const limited = testApi()
      .route(
        { method: 'get', path: '/', operationId: 'x', summary: '', authentication: anyone, limits, responses: {} },
        () => ({ ok: true }),
      )
      .express();
    expect((await request(limited).get('/')).status).toBe(503);
  });

  it('responds with 503 while Redis hangs', async () => {
    const proxy = await startTcpProxy(url);
    const hanging = openRedis(proxy.url, log);
    await untilReady(hanging);
    const limits = [
      rateLimit({ redis: hanging, name: `${prefix}hanging`, limit: 10, windowMs: 60_000, keyOf: () => 'one' }),
    ];
    const limited = testApi()
      .route(
        { method: 'get', path: '/', operationId: 'x', summary: '', authentication: anyone, limits, responses: {} },
        () => ({ ok: true }),
      )
      .express();
    expect((await request(limited).get('/')).status).toBe(200);
    proxy.hang();
    const answers = await Promise.all([request(limited).get('/'), request(limited).get('/')]);
    expect(answers.map(({ status, headers }) => [status, headers['retry-after']])).toEqual([
      [503, '2'],
      [503, '2'],
    ]);
    hanging.disconnect();
    await proxy.close();
  });
});
