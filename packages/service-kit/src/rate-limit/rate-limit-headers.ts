import type { LimitPolicy } from './limit-setting';
import type { LimitResult } from './request-limit';

/**
 * The fields `RateLimit-Policy` and `RateLimit` for these limits, the limit with the smallest share of its quota
 * first. They are Structured Fields (RFC 9651): lists of strings with integer parameters.
 * @see https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
 */
export function rateLimitFields(results: readonly LimitResult[]): Record<string, string> {
  if (results.length === 0) return {};
  const ordered = results.length === 1 ? results : results.toSorted((a, b) => share(a) - share(b));
  return {
    'RateLimit-Policy': ordered.map(({ limit: { name, policy } }) => policyItem(name, policy)).join(', '),
    RateLimit: ordered
      .map(({ limit, remaining, resetSeconds }) => limitItem(limit.name, remaining, resetSeconds))
      .join(', '),
  };
}

/** One policy: the name, the quota `q`, and the window `w` in seconds. */
function policyItem(name: string, { quota, windowSeconds }: LimitPolicy): string {
  return `"${name}";q=${quota};w=${windowSeconds}`;
}

/** The state of one limit: the tokens `r` that remain, and the seconds `t` until all of them are there again. */
function limitItem(name: string, remaining: number, resetSeconds: number): string {
  return `"${name}";r=${remaining};t=${resetSeconds}`;
}

function share({ limit, remaining }: LimitResult): number {
  return remaining / limit.policy.quota;
}
