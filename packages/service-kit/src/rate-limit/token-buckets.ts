import type { RedisClient } from '../databases/redis';
import { type RedisScript, redisScript } from '../databases/redis-script';
import type { LimitPolicy } from './rate-limit-policies';

/**
 * Fills the bucket for the time since the last call, adds the tokens that are given back, and takes up to the wanted
 * ones, or none when fewer than the least number are there. The clock is that of Redis, which all replicas share. A
 * clock that is set back fills nothing, and one that is set forward fills at most the bucket. The key expires when the
 * bucket would be full, which is the state of a bucket that does not exist.
 */
const script = `
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local quota = tonumber(ARGV[1])
local per_ms = quota / tonumber(ARGV[2])
local wanted = tonumber(ARGV[3])
local state = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = quota
if state[1] then
  tokens = tonumber(state[1]) + math.max(0, ms - tonumber(state[2])) * per_ms
end
tokens = math.min(quota, tokens + tonumber(ARGV[5]))
local granted = 0
if tokens >= tonumber(ARGV[4]) then
  granted = math.min(wanted, math.floor(tokens))
end
tokens = tokens - granted
redis.call('HSET', KEYS[1], 'tokens', string.format('%.6f', tokens), 'at', string.format('%.0f', ms))
redis.call('PEXPIRE', KEYS[1], math.ceil((quota - tokens) / per_ms) + 1000)
return { granted, string.format('%.6f', tokens) }
`;

/** How long Redis is not asked after a failure, in milliseconds. */
const pauseMs = 1000;

/** What to take from a bucket. */
export interface Taking {
  wanted: number;
  /** Nothing is taken when the bucket holds fewer tokens; 0 takes what is there. */
  least: number;
  /** Tokens that are given back before. */
  returned: number;
}

/** The token buckets of all replicas, in Redis. */
export class TokenBuckets {
  readonly #take: RedisScript<[granted: number, left: string]>;
  #pausedUntil = -Infinity;

  /** @param prefix the first part of the keys; limits of several services have different names */
  constructor(
    redis: RedisClient,
    private readonly prefix = 'limit',
  ) {
    this.#take = redisScript(redis, 'takeFromTokenBucket', 1, script);
  }

  /** False for a second after a failure, so that requests do not wait for a Redis that hangs. */
  get isAvailable(): boolean {
    return performance.now() >= this.#pausedUntil;
  }

  /**
   * Takes tokens from the bucket of a key, all of its time in one call of Redis.
   * @returns the tokens that were taken, and those that are left
   * @throws Error when Redis is not available; the tokens may have been taken
   */
  async take(
    name: string,
    key: string,
    { quota, windowSeconds }: LimitPolicy,
    { wanted, least, returned }: Taking,
  ): Promise<{ granted: number; left: number }> {
    try {
      const bucket = `{${this.prefix}:${name}:${key}}`;
      const [granted, left] = await this.#take(bucket, quota, windowSeconds * 1000, wanted, least, returned);
      return { granted, left: Number(left) };
    } catch (error) {
      this.#pausedUntil = performance.now() + pauseMs;
      throw error;
    }
  }
}
