import { testRedis } from '@tributary/test-environment';
import request from 'supertest';
import { Api } from '../api/api';
import type { Authentication } from '../api/authentication';
import { HttpError } from '../api/http-error';
import type { RouteLimit } from '../api/route';
import { type RedisClient, openRedis, untilReady } from '../databases/redis';
import { createLog } from '../runtime/log';
import { proxyRanges } from '../transport/client-address';
import { limitAddresses, limitCallers } from './limit-requests';
import { RequestLimit } from './request-limit';
import { TokenBuckets } from './token-buckets';
import { testApi } from '../../test/test-api';

/** A list of strings with integer parameters (RFC 9651, sections 3.1, 3.3.3 and 3.1.2). */
const item = String.raw`"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"(?:;[a-z*][a-z0-9_.*-]*=-?\d{1,15})*`;
const structuredList = new RegExp(`^${item}(?:, ${item})*$`);

const byHeader: Authentication<string> = {
  scheme: 'bearer',
  authenticate: (incoming) => {
    const user = incoming.headers.authorization;
    return user ? Promise.resolve(user) : Promise.reject(new HttpError('missing_token', 'send a token'));
  },
};

describe('limits of routes', () => {
  const log = createLog('test', 'silent');
  const { url, prefix } = testRedis();
  let redis: RedisClient;
  let buckets: TokenBuckets;
  beforeAll(async () => {
    redis = openRedis(url, log);
    await untilReady(redis);
    buckets = new TokenBuckets(redis, prefix);
  });
  afterAll(() => redis.quit());

  const limitOf = (name: string, quota: number, windowSeconds: number): RequestLimit =>
    new RequestLimit({ name, policy: { quota, windowSeconds }, buckets, withoutRedis: 'admit' });

  function app(routeLimits: RouteLimit[]): ReturnType<Api['express']> {
    return testApi()
      .route(
        {
          method: 'get',
          path: '/',
          operationId: 'x',
          summary: '',
          authentication: byHeader,
          limits: routeLimits,
          responses: {},
        },
        () => ({ ok: true }),
      )
      .express();
  }

  it('shows the state of every limit as structured fields, the tightest first', async () => {
    const limited = app(
      limitCallers<string>([
        { limit: limitOf('all', 1000, 60), keyOf: () => 'all' },
        { limit: limitOf('own', 20, 6000), keyOf: (user) => user },
      ]),
    );
    const { headers } = await request(limited).get('/').set('Authorization', 'me');
    expect(headers['ratelimit-policy']).toBe('"own";q=20;w=6000, "all";q=1000;w=60');
    expect(headers['ratelimit']).toBe('"own";r=19;t=300, "all";r=999;t=1');
    for (const field of [headers['ratelimit-policy'], headers['ratelimit']]) expect(field).toMatch(structuredList);
    expect(headers['access-control-expose-headers']).toMatch(/\bRateLimit\b/);
  });

  it('refuses with 429 and Retry-After, and uses up no other limit', async () => {
    const limited = app(
      limitCallers<string>([
        { limit: limitOf('client', 5, 86_400), keyOf: () => 'shared' },
        { limit: limitOf('user', 2, 86_400), keyOf: (user) => user },
      ]),
    );
    const get = (user: string): request.Test => request(limited).get('/').set('Authorization', user);
    const statuses = [];
    for (const user of ['a', 'a', 'a', 'a', 'b', 'b', 'c', 'c']) statuses.push((await get(user)).status);
    expect(statuses).toEqual([200, 200, 429, 429, 200, 200, 200, 429]);
    const refused = await get('a');
    expect(refused.body).toEqual({
      success: false,
      error_code: 'too_many_requests',
      error: 'too many requests: the limit client allows 5 in 86400 seconds',
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(17_000);
    expect(refused.headers['ratelimit']).toMatch(structuredList);
  });

  it('counts addresses before the authentication, and callers after it', async () => {
    const limited = app([
      ...limitAddresses(limitOf('address', 3, 86_400), proxyRanges.parse(undefined)),
      ...limitCallers<string>([{ limit: limitOf('caller', 100, 60), keyOf: (user) => user }]),
    ]);
    const from = (address: string, user = ''): request.Test =>
      request(limited)
        .get('/')
        .set({ 'X-Forwarded-For': `192.0.2.${address}`, Authorization: user });
    expect((await from('1', 'me')).headers['ratelimit']).toMatch(/^"address";r=2;t=\d+, "caller";r=99;t=1$/);
    expect([(await from('1')).status, (await from('1')).status]).toEqual([401, 401]);
    expect([(await from('1', 'me')).status, (await from('2', 'me')).status]).toEqual([429, 200]);
  });

  it('does nothing when every limit is switched off', () => {
    expect(limitCallers([{ limit: undefined, keyOf: () => 'x' }])).toEqual([]);
  });
});
