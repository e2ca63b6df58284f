import { LRUCache } from 'lru-cache';
import { unavailable } from '../api/http-error';
import type { LimitPolicy } from './rate-limit-policies';
import type { TokenBuckets } from './token-buckets';

/** What a limit answers to a request. */
export interface LimitResult {
  allowed: boolean;
  limit: { readonly name: string; readonly policy: LimitPolicy };
  /** The whole tokens that the bucket holds after this request. */
  remaining: number;
  /** Seconds until the bucket is full again. */
  resetSeconds: number;
  /** Seconds until this request would be allowed; 0 when it is. */
  retryAfterSeconds: number;
}

export interface RequestLimitOptions {
  /** Identifies the limit in headers, messages and keys of Redis. */
  name: string;
  policy: LimitPolicy;
  buckets: TokenBuckets;
  /**
   * Without Redis, `admit` counts in this process alone, and `refuse` throws a 503. A limit that refuses asks Redis for
   * every request; one that admits takes tokens in advance.
   */
  withoutRedis: 'admit' | 'refuse';
  /** Milliseconds of a clock that is never set back. */
  clock?: () => number;
}

/** Tokens of one key that this process has taken in advance. */
interface Lease {
  /** Negative: requests were admitted before their tokens were taken. */
  tokens: number;
  /** How many tokens are taken at once. */
  size: number;
  /** The tokens in Redis at `answeredAt`. */
  left: number;
  answeredAt: number;
  /** When tokens were last taken from the bucket. */
  filledAt?: number;
  refill?: Promise<void> | undefined;
}

const maxKeys = 50_000;
const firstLeaseSize = 10;
/** A larger lease than the first is given back after this time, in milliseconds. */
const leaseMs = 10_000;
/** A bucket that gets fewer tokens per second is not leased: the tokens of one lease would last too long. */
const minLeasedRate = 0.1;

/**
 * A rate limit: a token bucket per key, shared by all replicas. A process takes tokens from a bucket in advance and
 * spends them itself, so that a request seldom waits for Redis. The lease of a key begins with ten tokens and doubles
 * while it is used up within ten seconds, up to a tenth of the quota. A request that finds no token in the lease is
 * admitted while the next lease is fetched, and charged to it, as long as the bucket held tokens when it was last
 * asked. All replicas together therefore admit more than the policy allows by at most one lease and one request each.
 */
export class RequestLimit {
  readonly name: string;
  readonly policy: LimitPolicy;
  /** Bounded by the sum of sizes, because a cache with `max` allocates its arrays for so many entries at once. */
  readonly #leases = new LRUCache<string, Lease>({ maxSize: maxKeys, sizeCalculation: () => 1 });
  readonly #perMs: number;
  readonly #maxLeaseSize: number;
  readonly #isLeased: boolean;
  readonly #clock: () => number;

  constructor(private readonly options: RequestLimitOptions) {
    const { name, policy, withoutRedis, clock } = options;
    this.name = name;
    this.policy = policy;
    this.#perMs = policy.quota / (policy.windowSeconds * 1000);
    this.#maxLeaseSize = Math.max(1, Math.floor(policy.quota / 10));
    this.#isLeased = withoutRedis === 'admit' && policy.quota / policy.windowSeconds >= minLeasedRate;
    this.#clock = clock ?? (() => performance.now());
  }

  /**
   * Takes tokens for a request of this key. The result is no promise when the request does not wait for Redis.
   * @param cost in tokens; the whole quota at most
   * @throws HttpError 503 when Redis is not available and the limit refuses requests then
   */
  take(key: string, cost = 1): LimitResult | Promise<LimitResult> {
    const tokens = Math.min(cost, this.policy.quota);
    return this.#isLeased ? this.#takeFromLease(key, tokens) : this.#takeFromBucket(key, tokens);
  }

  /** What `take` would answer, as far as this process knows the bucket. */
  peek(key: string): LimitResult {
    const lease = this.#leases.get(key);
    const available = lease ? this.#availableTo(lease) : this.policy.quota;
    return this.#result(available >= 1, available, 1);
  }

  /**
   * What the bucket holds, for this process and in Redis. Tokens that other processes have taken in advance count as
   * used. Takes none.
   * @throws HttpError 503 when Redis is not available
   */
  async read(key: string): Promise<LimitResult> {
    const lease = this.#leases.get(key);
    await lease?.refill;
    const answer = await this.#ask(key, 0, 0, 0).catch(() => {
      throw unavailable('a part of the service is not available; try again shortly');
    });
    const available = Math.max(0, Math.min(this.policy.quota, (lease?.tokens ?? 0) + answer.left));
    return this.#result(available >= 1, available, 1);
  }

  /** Gives tokens back that were taken for a request which another limit refused. */
  giveBack(key: string, cost = 1): void {
    const lease = this.#leases.get(key);
    if (this.#isLeased && lease) lease.tokens += Math.min(cost, this.policy.quota);
    else void this.#ask(key, 0, 0, cost).catch(() => undefined);
  }

  #takeFromLease(key: string, cost: number): LimitResult | Promise<LimitResult> {
    const lease = this.#leaseOf(key);
    const available = this.#availableTo(lease);
    if (available < cost) return this.#result(false, available, cost);
    const hasTokens = lease.tokens >= cost && !this.#isOutdated(lease);
    // Debts of requests that are admitted before their tokens are taken end with the size of a lease.
    if (!hasTokens && lease.tokens <= -lease.size)
      return this.#refill(key, lease).then(() => this.#takeFromLease(key, cost));
    lease.tokens -= cost;
    if (!hasTokens) void this.#refill(key, lease);
    return this.#result(true, available - cost, cost);
  }

  async #takeFromBucket(key: string, cost: number): Promise<LimitResult> {
    const answer = await this.#ask(key, cost, cost, 0).catch(() => undefined);
    if (answer) {
      this.#note(this.#leaseOf(key), answer.left);
      return this.#result(answer.granted > 0, answer.left, cost);
    }
    if (this.options.withoutRedis === 'refuse')
      throw unavailable('a part of the service is not available; try again shortly');
    const lease = this.#leaseOf(key);
    const available = this.#availableTo(lease);
    if (available < cost) return this.#result(false, available, cost);
    this.#note(lease, available - cost);
    return this.#result(true, available - cost, cost);
  }

  #ask(key: string, wanted: number, least: number, returned: number): Promise<{ granted: number; left: number }> {
    const { name, policy, buckets } = this.options;
    return buckets.take(name, key, policy, { wanted, least, returned });
  }

  #leaseOf(key: string): Lease {
    const known = this.#leases.get(key);
    if (known) return known;
    const lease: Lease = {
      tokens: 0,
      size: Math.min(firstLeaseSize, this.#maxLeaseSize),
      left: this.policy.quota,
      answeredAt: this.#clock(),
    };
    this.#leases.set(key, lease);
    return lease;
  }

  #refill(key: string, lease: Lease): Promise<void> {
    lease.refill ??= this.#fetch(key, lease).finally(() => (lease.refill = undefined));
    return lease.refill;
  }

  /** Fetches the next lease and the tokens that are owed. Without Redis, the last known state of the bucket is used. */
  async #fetch(key: string, lease: Lease): Promise<void> {
    const returned = Math.max(0, lease.tokens);
    if (this.#isOlderThanLease(lease)) lease.size = Math.min(firstLeaseSize, this.#maxLeaseSize);
    else if (lease.filledAt !== undefined) lease.size = Math.min(lease.size * 2, this.#maxLeaseSize);
    lease.filledAt = this.#clock();
    lease.tokens -= returned;
    const wanted = lease.size - lease.tokens;
    const answer = this.options.buckets.isAvailable
      ? await this.#ask(key, wanted, 0, returned).catch(() => undefined)
      : undefined;
    if (answer) {
      lease.tokens += answer.granted;
      this.#note(lease, answer.left);
      return;
    }
    const local = Math.min(this.policy.quota, this.#leftInBucket(lease) + returned);
    const granted = Math.min(wanted, Math.floor(local));
    lease.tokens += granted;
    this.#note(lease, local - granted);
  }

  #note(lease: Lease, left: number): void {
    lease.left = left;
    lease.answeredAt = this.#clock();
  }

  /** Leases of the first size are kept: they are too small to matter to other replicas. */
  #isOutdated(lease: Lease): boolean {
    return lease.size > firstLeaseSize && this.#isOlderThanLease(lease);
  }

  #isOlderThanLease({ filledAt }: Lease): boolean {
    return filledAt !== undefined && this.#clock() - filledAt > leaseMs;
  }

  /** The tokens in the bucket, if no other replica has taken any since it was last asked. */
  #leftInBucket({ left, answeredAt }: Lease): number {
    return Math.min(this.policy.quota, left + (this.#clock() - answeredAt) * this.#perMs);
  }

  #availableTo(lease: Lease): number {
    return Math.min(this.policy.quota, lease.tokens + this.#leftInBucket(lease));
  }

  /** @param available tokens after this request, if it is allowed */
  #result(allowed: boolean, available: number, cost: number): LimitResult {
    const missing = this.policy.quota - available;
    return {
      allowed,
      limit: this,
      remaining: Math.max(0, Math.floor(available)),
      resetSeconds: Math.ceil(missing / this.#perMs / 1000),
      retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((cost - available) / this.#perMs / 1000)),
    };
  }
}
