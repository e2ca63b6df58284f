import type { IncomingMessage } from 'node:http';
import { testRedis, waitUntil } from '@tributary/test-environment';
import { HttpError } from '../api/http-error';
import { type RedisClient, openRedis, untilReady } from '../databases/redis';
import { createLog } from '../runtime/log';
import { proxyRanges } from '../transport/client-address';
import { CredentialGuard, type CredentialGuardOptions, forgetFailedCredentials } from './credential-guard';
import { rateLimitConfig } from './rate-limit-policies';

const log = createLog('test', 'silent');
const right = { client: true };

describe('CredentialGuard', () => {
  const { url } = testRedis();
  let redis: RedisClient;
  let prefix: string;
  beforeAll(async () => {
    redis = openRedis(url, log);
    await untilReady(redis);
  });
  afterAll(() => redis.quit());
  beforeEach(() => ({ prefix } = testRedis()));

  function guardOf(changes = '', more: Partial<CredentialGuardOptions> = {}): CredentialGuard {
    const limits = rateLimitConfig.parse({ RATE_LIMITS: changes });
    return new CredentialGuard({ ...limits, redis, TRUSTED_PROXIES: proxyRanges.parse(undefined), prefix, ...more });
  }

  const from = (address: string): IncomingMessage =>
    ({ headers: {}, socket: { remoteAddress: address } }) as unknown as IncomingMessage;

  /** 200, 401 or 429. */
  async function outcomeOf(guard: CredentialGuard, client: string, address: string, isRight = false): Promise<number> {
    try {
      const verified = await guard.attempt(from(address), client, () => Promise.resolve(isRight ? right : undefined));
      return verified ? 200 : 401;
    } catch (error) {
      if (!(error instanceof HttpError) || error.errorCode !== 'too_many_failed_credentials') throw error;
      expect(Number(error.headers['Retry-After'])).toBeGreaterThanOrEqual(1);
      return error.status;
    }
  }

  async function fail(guard: CredentialGuard, client: string, address: string, times: number): Promise<void> {
    for (let i = 0; i < times; i++) expect(await outcomeOf(guard, client, address)).toBe(401);
  }

  /** Lets attempts fail as if each came after the delay, until the delay lasts longer than a test. */
  async function failOften(
    guard: CredentialGuard,
    times: number,
    attempt: (i: number) => [string, string],
  ): Promise<void> {
    for (let i = 0; i < times + 8; i++) {
      await passTime();
      await fail(guard, ...attempt(i), 1);
    }
  }

  /** As if all delays had passed. */
  async function passTime(): Promise<void> {
    for (const key of await redis.keys(`${prefix}*`))
      if ((await redis.type(key)) === 'hash') await redis.hdel(key, 'until');
  }

  it('lets five attempts fail, then doubles the delay with each further one, up to 15 minutes', async () => {
    const guard = guardOf();
    await fail(guard, 'a', '192.0.2.1', 5);
    const delays: number[] = [];
    for (let i = 0; i < 13; i++) {
      await fail(guard, 'a', '192.0.2.1', 1);
      const [until, at] = await redis.hmget((await redis.keys(`${prefix}*pair:*`))[0]!, 'until', 'at');
      delays.push((Number(until) - Number(at)) / 1000);
      await passTime();
    }
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
  });

  it('verifies nothing during the delay, not even right credentials', async () => {
    const guard = guardOf();
    await failOften(guard, 5, () => ['a', '192.0.2.1']);
    const verify = jest.fn(() => Promise.resolve(right));
    await expect(guard.attempt(from('192.0.2.1'), 'a', verify)).rejects.toMatchObject({ status: 429 });
    expect(verify).not.toHaveBeenCalled();
    expect(await outcomeOf(guard, 'another', '192.0.2.1', true)).toBe(200);
    expect(await outcomeOf(guard, 'a', '192.0.2.2', true)).toBe(200);
  });

  it('forgets the failures of a client at an address when it succeeds there', async () => {
    const guard = guardOf();
    await fail(guard, 'a', '192.0.2.1', 5);
    expect(await outcomeOf(guard, 'a', '192.0.2.1', true)).toBe(200);
    await fail(guard, 'a', '192.0.2.1', 6);
  });

  it('forgets failures one after the other', async () => {
    const guard = guardOf('failed-pair=5/3600');
    await fail(guard, 'a', '192.0.2.1', 5);
    const [key] = await redis.keys(`${prefix}*pair:*`);
    await redis.hincrby(key!, 'at', -2 * 720_000);
    await fail(guard, 'a', '192.0.2.1', 2);
    await failOften(guard, 0, () => ['a', '192.0.2.1']);
    expect(await outcomeOf(guard, 'a', '192.0.2.1')).toBe(429);
  });

  it('verifies as many credentials at once as may be wrong, over all processes', async () => {
    const other = openRedis(url, log);
    await untilReady(other);
    const pausesMs = [10, 20];
    const guards = [guardOf('', { pausesMs }), guardOf('', { pausesMs, redis: other })];
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const verify = jest.fn(() => held.then(() => undefined));
    const refusals: unknown[] = [];
    const attempts = Array.from({ length: 50 }, (_x, i) =>
      guards[i % 2]!.attempt(from('192.0.2.1'), 'a', verify).catch((error: unknown) => {
        if (refusals.push(error) === 45) release?.();
      }),
    );
    await Promise.all(attempts);
    expect(verify).toHaveBeenCalledTimes(5);
    for (const refusal of refusals)
      expect(refusal).toMatchObject({
        status: 429,
        errorCode: 'too_many_requests',
        message: 'too many credentials of the client are being verified: repeat the request',
        headers: { 'Retry-After': '1' },
      });
    await other.quit();
  });

  it('lets attempts wait for the outcome of others', async () => {
    const guard = guardOf();
    let verified = 0;
    let release: (() => void) | undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const attempts = Array.from({ length: 20 }, () =>
      guard.attempt(from('192.0.2.1'), 'a', async () => {
        // The first ones end when others have been made again.
        if (++verified === 5) release?.();
        await held;
        return right;
      }),
    );
    expect(await Promise.all(attempts)).toEqual(attempts.map(() => right));
  });

  it('does not block for longer when the clock of Redis is set back', async () => {
    const guard = guardOf('failed-pair=1/3600');
    await failOften(guard, 1, () => ['a', '192.0.2.1']);
    expect(await outcomeOf(guard, 'a', '192.0.2.1', true)).toBe(429);
    const [pair] = await redis.keys(`${prefix}*pair:*`);
    await redis.hincrby(pair!, 'until', 86_400_000);
    expect(await outcomeOf(guard, 'a', '192.0.2.1', true)).toBe(200);
  });

  it('admits many concurrent attempts of a client that has succeeded at the address', async () => {
    const guard = guardOf();
    await outcomeOf(guard, 'a', '192.0.2.1', true);
    const outcomes = await Promise.all(Array.from({ length: 300 }, () => outcomeOf(guard, 'a', '192.0.2.1', true)));
    expect(new Set(outcomes)).toEqual(new Set([200]));
  });

  it('does not lock a client out by failures from other addresses', async () => {
    const guard = guardOf('failed-client=20/86400');
    await outcomeOf(guard, 'a', '192.0.2.1', true);
    await failOften(guard, 20, (i) => ['a', `198.51.100.${i}`]);
    expect(await outcomeOf(guard, 'a', '203.0.113.1', true)).toBe(429);
    expect(await outcomeOf(guard, 'a', '192.0.2.1', true)).toBe(200);
    expect(await outcomeOf(guard, 'b', '203.0.113.1', true)).toBe(200);
  });

  it('delays an address that tries many clients, but not a client that has succeeded there', async () => {
    const guard = guardOf('failed-address=10/86400');
    await outcomeOf(guard, 'known', '192.0.2.1', true);
    await failOften(guard, 10, (i) => [`guess ${i}`, '192.0.2.1']);
    expect(await outcomeOf(guard, 'unknown', '192.0.2.1', true)).toBe(429);
    expect(await outcomeOf(guard, 'known', '192.0.2.1', true)).toBe(200);
    expect(await outcomeOf(guard, 'unknown', '192.0.2.2', true)).toBe(200);
  });

  it('counts an IPv6 network of 64 bits as one address', async () => {
    const guard = guardOf();
    await failOften(guard, 5, (i) => ['a', `2001:db8:0:1::${i}`]);
    expect(await outcomeOf(guard, 'a', '2001:db8:0:1:ffff::1')).toBe(429);
    expect(await outcomeOf(guard, 'a', '2001:db8:0:2::1')).toBe(401);
  });

  it('does not count an attempt whose verification was not possible', async () => {
    const guard = guardOf();
    const impossible = (): Promise<never> => Promise.reject(new Error('auth is away'));
    for (let i = 0; i < 60; i++)
      await expect(guard.attempt(from('192.0.2.1'), 'a', impossible)).rejects.toThrow('auth is away');
    expect(await outcomeOf(guard, 'a', '192.0.2.1', true)).toBe(200);
  });

  it('forgets attempts of a process that was killed after a minute', async () => {
    const guard = guardOf('failed-pair=3/3600');
    void guard.attempt(from('192.0.2.1'), 'a', () => new Promise(() => undefined)).catch(() => undefined);
    const key = await waitUntil(async () => (await redis.keys(`${prefix}*open:*`))[0]);
    const [seconds] = await redis.time();
    // The second one began before the clock of Redis was set back.
    for (const age of [61, -86_400]) await redis.zadd(key, (Number(seconds) - age) * 1000, `killed ${age}`);
    expect(await redis.zcard(key)).toBe(3);
    expect(await outcomeOf(guard, 'a', '192.0.2.1', true)).toBe(200);
    expect(await redis.zcard(key)).toBe(1);
  });

  it('forgets the failures of a client whose credentials have changed, at all addresses', async () => {
    const guard = guardOf('failed-client=5/86400');
    for (const client of ['a', 'b'])
      for (const address of ['192.0.2.1', '192.0.2.2']) await failOften(guard, 5, () => [client, address]);
    await forgetFailedCredentials(redis, 'a', prefix);
    const outcomes: number[] = [];
    for (const client of ['a', 'b'])
      for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3'])
        outcomes.push(await outcomeOf(guard, client, address, true));
    expect(outcomes).toEqual([200, 200, 200, 429, 429, 429]);
  });

  it('has no limit that is switched off', async () => {
    await fail(guardOf('failed-pair=off,failed-address=off,failed-client=off'), 'a', '192.0.2.1', 120);
  });

  it('refuses with 503, and verifies nothing, without Redis', async () => {
    const away = openRedis(url, log);
    away.disconnect();
    const verify = jest.fn(() => Promise.resolve(right));
    await expect(guardOf('', { redis: away }).attempt(from('192.0.2.1'), 'a', verify)).rejects.toMatchObject({
      status: 503,
    });
    expect(verify).not.toHaveBeenCalled();
  });
});
