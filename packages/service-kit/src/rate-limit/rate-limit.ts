import type { RedisClient } from '../databases/redis';
import type { Response } from 'express';
import { rateLimit as expressRateLimit } from 'express-rate-limit';
import { HttpError } from '../api/http-error';
import type { RouteLimit } from '../api/route';
import { rateLimitHeaders } from '../open-api/headers';
import { resultsOf, showLimits } from './limit-requests';
import type { LimitPolicy } from './rate-limit-policies';
import type { LimitResult } from './request-limit';
import { RollingWindowStore } from './rolling-window-store';

export interface RateLimitOptions {
  redis: RedisClient;
  /** Limits with the same name share their counts. */
  name: string;
  /** Calls per window. */
  limit: number;
  /** The length of the rolling window, in milliseconds. */
  windowMs: number;
  /** The key whose calls are counted together; called after authentication. */
  keyOf: (response: Response) => string;
}

/** The limit of a rolling window. */
export interface RollingLimit extends RouteLimit {
  readonly name: string;
  readonly policy: LimitPolicy;
  /** What is left to a key. @throws HttpError 503 when Redis is not available */
  read: (key: string) => Promise<Pick<LimitResult, 'remaining' | 'resetSeconds'>>;
}

/**
 * Refuses calls over the limit of a rolling window with 429, `Retry-After`, `RateLimit-Policy` and `RateLimit`, and the
 * fields `RateLimit-Limit`, `-Remaining` and `-Reset` of earlier drafts. All replicas share the counts.
 */
export function rateLimit({ redis, name, limit, windowMs, keyOf }: RateLimitOptions): RollingLimit {
  const policy = { quota: limit, windowSeconds: windowMs / 1000 };
  const show = (response: Response, allowed: boolean): void => {
    const [remaining, resetSeconds] = ['RateLimit-Remaining', 'RateLimit-Reset'].map((field) =>
      Number(response.getHeader(field)),
    ) as [number, number];
    const retryAfterSeconds = allowed ? 0 : resetSeconds;
    const result = { allowed, limit: { name, policy }, remaining, resetSeconds, retryAfterSeconds };
    showLimits(response, [...resultsOf(response), result]);
  };
  const store = new RollingWindowStore(redis, { prefix: name, windowMs, limit });
  const count = expressRateLimit({
    windowMs,
    limit,
    standardHeaders: 'draft-6',
    legacyHeaders: false,
    keyGenerator: (_request, response) => keyOf(response as Response),
    store,
    handler: (_request, response, next) => {
      show(response, false);
      response.setHeader('Retry-After', String(response.getHeader('RateLimit-Reset') ?? Math.ceil(windowMs / 1000)));
      next(new HttpError('too_many_requests', `too many calls: ${limit} are allowed in ${windowMs / 60_000} minutes`));
    },
  });
  return {
    name,
    policy,
    read: async (key) => {
      const { calls, msUntilReset } = await store.read(key);
      return { remaining: Math.max(0, limit - calls), resetSeconds: calls === 0 ? 0 : Math.ceil(msUntilReset / 1000) };
    },
    runs: 'after authentication',
    handle: (request, response, next) =>
      count(request, response, (error?: unknown) => {
        if (error === undefined) show(response, true);
        next(error);
      }),
    headers: [...rateLimitHeaders, 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  };
}
