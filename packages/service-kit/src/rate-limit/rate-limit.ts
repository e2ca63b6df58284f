import type { RequestHandler, Response } from 'express';
import { rateLimit as expressRateLimit } from 'express-rate-limit';
import type { Redis } from 'ioredis';
import { HttpError } from '../api/http-error';
import { RollingWindowStore } from './rolling-window-store';

export interface RateLimitOptions {
  redis: Redis;
  /** Names the limit; limits of the same name share their counts. */
  name: string;
  limit: number;
  windowMs: number;
  /** Whose calls are counted together; runs after authentication. */
  keyOf: (response: Response) => string;
}

/** Refuses calls beyond `limit` in any rolling window with 429, `Retry-After` and `RateLimit-*` headers (specification, "Limits"). */
export function rateLimit({ redis, name, limit, windowMs, keyOf }: RateLimitOptions): RequestHandler {
  return expressRateLimit({
    windowMs,
    limit,
    standardHeaders: 'draft-6',
    legacyHeaders: false,
    validate: false,
    keyGenerator: (_request, response) => keyOf(response as Response),
    store: new RollingWindowStore(redis, { prefix: name, windowMs, limit }),
    handler: (_request, response, next) => {
      response.setHeader('Retry-After', String(response.getHeader('RateLimit-Reset') ?? Math.ceil(windowMs / 1000)));
      next(
        new HttpError(429, 'too_many_requests', `too many calls: ${limit} are allowed in ${windowMs / 60_000} minutes`),
      );
    },
  });
}
