import type { RequestHandler, Response } from 'express';
import { rateLimit as expressRateLimit } from 'express-rate-limit';
import type { Redis } from 'ioredis';
import { HttpError } from '../api/http-error';
import { RollingWindowStore } from './rolling-window-store';

export interface RateLimitOptions {
  redis: Redis;
  /** Limits with the same name share their counts. */
  name: string;
  /** Calls per window. */
  limit: number;
  /** The length of the rolling window, in milliseconds. */
  windowMs: number;
  /** The key whose calls are counted together; called after authentication. */
  keyOf: (response: Response) => string;
}

/**
 * Refuses calls over the limit of a rolling window with 429, `Retry-After` and `RateLimit-*` headers. All replicas
 * share the counts.
 */
export function rateLimit({ redis, name, limit, windowMs, keyOf }: RateLimitOptions): RequestHandler {
  return expressRateLimit({
    windowMs,
    limit,
    standardHeaders: 'draft-6',
    legacyHeaders: false,
    keyGenerator: (_request, response) => keyOf(response as Response),
    store: new RollingWindowStore(redis, { prefix: name, windowMs, limit }),
    handler: (_request, response, next) => {
      response.setHeader('Retry-After', String(response.getHeader('RateLimit-Reset') ?? Math.ceil(windowMs / 1000)));
      next(new HttpError('too_many_requests', `too many calls: ${limit} are allowed in ${windowMs / 60_000} minutes`));
    },
  });
}
