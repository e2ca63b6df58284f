import type { RedisClient } from '../databases/redis';
import type { LimitName, LimitPolicies } from './rate-limit-policies';
import { RequestLimit, type RequestLimitOptions } from './request-limit';
import { TokenBuckets } from './token-buckets';

/** The rate limits of a service, whose token buckets are in Redis. */
export class RateLimits {
  readonly #buckets: TokenBuckets;

  /**
   * @param redis a connection of `openRedis` that is not subscribed
   * @param prefix the first part of the keys in Redis
   */
  constructor(
    redis: RedisClient,
    private readonly policies: LimitPolicies,
    prefix?: string,
  ) {
    this.#buckets = new TokenBuckets(redis, prefix);
  }

  /** The limit of this name; undefined when the operator has switched it off. */
  limit(name: LimitName, withoutRedis: RequestLimitOptions['withoutRedis'] = 'admit'): RequestLimit | undefined {
    const policy = this.policies[name];
    return policy && new RequestLimit({ name, policy, buckets: this.#buckets, withoutRedis });
  }
}
