import type { Redis } from 'ioredis';
import type { ClientRateLimitInfo, Store } from 'express-rate-limit';
import { randomBytes } from 'node:crypto';
import { unavailable } from '../api/http-error';

/**
 * Drops calls older than the window, counts this one when it is within the limit, and says when the oldest leaves.
 * A refused call is not counted: who waits until `Retry-After` gets through.
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

/** A store for express-rate-limit that counts over a rolling window, in Redis, so that all replicas share it; one script call a request. Without Redis calls are refused, not let through uncounted. */
export class RollingWindowStore implements Store {
  readonly localKeys = false;
  readonly prefix: string;

  constructor(
    private readonly redis: Redis,
    private readonly options: { prefix: string; windowMs: number; limit: number },
  ) {
    this.prefix = `rate-limit:${options.prefix}:`;
  }

  async increment(key: string): Promise<ClientRateLimitInfo> {
    const { windowMs, limit } = this.options;
    const answer = (await this.redis
      .eval(script, 1, this.prefix + key, windowMs, limit, randomBytes(9).toString('base64url'))
      .catch(() => {
        throw unavailable('a part of the service is not available; try again shortly');
      })) as [number, number];
    return { totalHits: answer[0], resetTime: new Date(Date.now() + Number(answer[1])) };
  }

  async decrement(): Promise<void> {
    // express-rate-limit calls this only with its skip options, which this product does not use.
  }

  async resetKey(key: string): Promise<void> {
    await this.redis.del(this.prefix + key);
  }
}
