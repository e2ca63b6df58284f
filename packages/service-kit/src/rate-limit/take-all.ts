import { HttpError } from '../api/http-error';
import { rateLimitRefusals } from '../metrics/rate-limit-metrics';
import { rateLimitFields } from './rate-limit-headers';
import type { LimitResult, RequestLimit } from './request-limit';

/** A limit, and the key whose requests it counts together. */
export interface CountedBy {
  limit: RequestLimit;
  key: string;
}

/**
 * Takes tokens for one request from several limits. A request that one of them refuses uses up none of the others.
 * @param cost in tokens
 * @param before results of limits that were asked before, for the headers of the error
 * @throws HttpError 429 with `Retry-After` and the `RateLimit` fields; 503 when Redis is not available and a limit
 * refuses requests then
 */
export async function takeAll(
  limits: readonly CountedBy[],
  cost = 1,
  before: readonly LimitResult[] = [],
): Promise<LimitResult[]> {
  const results: LimitResult[] = [...before];
  for (const [index, { limit, key }] of limits.entries()) {
    const taken = limit.take(key, cost);
    const result = taken instanceof Promise ? await taken : taken;
    results.push(result);
    if (result.allowed) continue;
    for (const taken of limits.slice(0, index)) taken.limit.giveBack(taken.key, cost);
    throw tooManyRequests(result, results);
  }
  return results;
}

/**
 * Takes no token.
 * @throws HttpError 429 when there is none to take
 */
export function assertTokensLeft({ limit, key }: CountedBy): void {
  const result = limit.peek(key);
  if (!result.allowed) throw tooManyRequests(result, [result]);
}

function tooManyRequests({ limit, retryAfterSeconds }: LimitResult, results: readonly LimitResult[]): HttpError {
  const { quota, windowSeconds } = limit.policy;
  rateLimitRefusals.inc({ limit: limit.name });
  return new HttpError(
    'too_many_requests',
    `too many requests: the limit ${limit.name} allows ${quota} in ${windowSeconds} seconds`,
    { 'Retry-After': String(retryAfterSeconds), ...rateLimitFields(results) },
  );
}
