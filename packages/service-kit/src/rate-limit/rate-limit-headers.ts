import type { LimitResult } from './request-limit';

/** The fields of a response with limits; none without. */
export type RateLimitFields = Partial<Record<'RateLimit-Policy' | 'RateLimit', string>>;

/** The items of `RateLimit-Policy`, which never change. */
const policyItems = new WeakMap<LimitResult['limit'], string>();

/**
 * The fields `RateLimit-Policy` and `RateLimit` for these limits, the limit with the smallest share of its quota
 * first. They are Structured Fields (RFC 9651): lists of strings with integer parameters.
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function rateLimitFields(results: readonly LimitResult[]): RateLimitFields {
  if (results.length === 0) return {};
  const ordered = results.length === 1 ? results : results.toSorted((a, b) => share(a) - share(b));
  return {
    'RateLimit-Policy': ordered.map(({ limit }) => policyItem(limit)).join(', '),
    RateLimit: ordered
      .map(({ limit, remaining, resetSeconds }) => limitItem(limit.name, remaining, resetSeconds))
      .join(', '),
  };
}

/** One policy: the name, the quota `q`, and the window `w` in seconds. */
function policyItem(limit: LimitResult['limit']): string {
  const known = policyItems.get(limit);
  if (known !== undefined) return known;
  const { name, policy } = limit;
  const item = `"${name}";q=${policy.quota};w=${policy.windowSeconds}`;
  policyItems.set(limit, item);
  return item;
}

/** The state of one limit: the tokens `r` that remain, and the seconds `t` until all of them are there again. */
function limitItem(name: string, remaining: number, resetSeconds: number): string {
  return `"${name}";r=${remaining};t=${resetSeconds}`;
}

function share({ limit, remaining }: LimitResult): number {
  return remaining / limit.policy.quota;
}
