import type { RedisClient } from '../databases/redis';
import type { ClientRateLimitInfo, Store } from 'express-rate-limit';
import { randomBytes } from 'node:crypto';
import { unavailable } from '../api/http-error';
import { type RedisScript, redisScript } from '../databases/redis-script';

/**
 * Removes calls that are older than the window, counts this call if it is within the limit, and returns the count and
 * the milliseconds until the oldest call leaves the window. A refused call is not counted, so a caller that waits for
 * `Retry-After` is admitted.
 */
const script = `
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ms - ARGV[1])
local count = redis.call('ZCARD', KEYS[1])
if count < tonumber(ARGV[2]) then
  redis.call('ZADD', KEYS[1], ms, ms .. '-' .. ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return { count + 1, (oldest[2] or ms) + ARGV[1] - ms }
`;

/** The count of the calls in the window, and the milliseconds until the oldest one leaves it. Changes nothing. */
const readScript = `
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local first = string.format('(%.0f', ms - ARGV[1])
local oldest = redis.call('ZRANGEBYSCORE', KEYS[1], first, '+inf', 'WITHSCORES', 'LIMIT', 0, 1)
return { redis.call('ZCOUNT', KEYS[1], first, '+inf'), (oldest[2] or ms) + ARGV[1] - ms }
`;

/**
 * A store for express-rate-limit that counts over a rolling window in Redis, with one script call per request. Written
 * by hand because the published stores count over fixed windows. Calls are refused with 503 while Redis is unavailable.
 */
export class RollingWindowStore implements Store {
  readonly localKeys = false;
  readonly prefix: string;
  readonly #count: RedisScript<[calls: number, msUntilReset: number]>;
  readonly #read: RedisScript<[calls: number, msUntilReset: number]>;

  constructor(
    private readonly redis: RedisClient,
    private readonly options: { prefix: string; windowMs: number; limit: number },
  ) {
    this.#count = redisScript(redis, 'countCallInRollingWindow', 1, script);
    this.#read = redisScript(redis, 'readRollingWindow', 1, readScript);
    this.prefix = `rate-limit:${options.prefix}:`;
  }

  async increment(key: string): Promise<ClientRateLimitInfo> {
    const { windowMs, limit } = this.options;
    const nonce = randomBytes(9).toString('base64url');
    const [totalHits, msUntilReset] = await this.#count(this.prefix + key, windowMs, limit, nonce).catch(refuse);
    return { totalHits, resetTime: new Date(Date.now() + msUntilReset) };
  }

  /** The calls in the window. @throws HttpError 503 */
  async read(key: string): Promise<{ calls: number; msUntilReset: number }> {
    const [calls, msUntilReset] = await this.#read(this.prefix + key, this.options.windowMs).catch(refuse);
    return { calls, msUntilReset };
  }

  async decrement(): Promise<void> {
    // Called only with the skip options of express-rate-limit, which are not used.
  }

  async resetKey(key: string): Promise<void> {
    await this.redis.del(this.prefix + key);
  }
}

function refuse(): never {
  throw unavailable('a part of the service is not available; try again shortly');
}
