import type { Redis } from 'ioredis';
import type { LimitPolicy } from './limit-setting';
import { RequestLimit, type RequestLimitOptions } from './request-limit';
import { TokenBuckets } from './token-buckets';

/** The rate limits of a service, whose token buckets are in Redis. */
export class RateLimits {
  readonly #buckets: TokenBuckets;

  /**
   * @param redis a connection of `openRedis` that is not subscribed
   * @param prefix the first part of the keys in Redis
   */
  constructor(redis: Redis, prefix?: string) {
    this.#buckets = new TokenBuckets(redis, prefix);
  }

  /** @param policy undefined when the operator has switched the limit off */
  limit(
    name: string,
    policy: LimitPolicy | undefined,
    withoutRedis: RequestLimitOptions['withoutRedis'] = 'admit',
  ): RequestLimit | undefined {
    return policy && new RequestLimit({ name, policy, buckets: this.#buckets, withoutRedis });
  }
}
