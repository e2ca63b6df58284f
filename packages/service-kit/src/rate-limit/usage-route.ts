import { type LimitUsage, limitUsageList } from '@tributary/contracts';
import type { Api } from '../api/api';
import type { Authentication } from '../api/authentication';
import { limitCallers } from './limit-requests';
import { type LimitName, type LimitPolicy, defaultPolicies } from './rate-limit-policies';
import type { RateLimits } from './rate-limits';
import type { LimitResult } from './request-limit';

/** A limit that can be read without spending any of it. */
export interface ReadLimit {
  name: string;
  description: string;
  quota: number;
  /** Absent when the number of things that exist is limited. */
  windowSeconds?: number;
  /** @param clientId of the client whose use is read */
  read: (clientId: string) => Promise<Pick<LimitResult, 'remaining'> & Partial<Pick<LimitResult, 'resetSeconds'>>>;
}

/**
 * @param limit absent when the operator has switched it off
 * @param keyOf the key whose requests are counted together; by default the client
 */
export function ofLimit(
  limit:
    | {
        name: string;
        policy: LimitPolicy;
        read: (key: string) => Promise<Pick<LimitResult, 'remaining' | 'resetSeconds'>>;
      }
    | undefined,
  { description, keyOf = (clientId) => clientId }: { description?: string; keyOf?: (clientId: string) => string } = {},
): ReadLimit[] {
  if (!limit) return [];
  return [
    {
      name: limit.name,
      description: description ?? sentence(defaultPolicies[limit.name as LimitName].counts),
      ...limit.policy,
      read: (clientId) => limit.read(keyOf(clientId)),
    },
  ];
}

/**
 * Serves a client its use of the limits of an API. Requests for it count for a limit of their own.
 * @param subject whose limits these are, for the summary
 */
export function serveUsage(
  api: Api,
  options: {
    path: string;
    operationId: string;
    subject: string;
    tags: readonly string[];
    authentication: Authentication<{ client_id: string }>;
    rateLimits: RateLimits;
    limits: readonly ReadLimit[];
  },
): void {
  const { path, operationId, subject, tags, authentication, rateLimits, limits } = options;
  api.route(
    {
      method: 'get',
      path,
      operationId,
      summary: `The client's use of the limits of ${subject}`,
      description:
        'Nothing of these limits is used by asking. Tokens that a replica has taken in advance count as used, so that less can be shown than the next response to a request has in `RateLimit`, by a tenth of the quota at most for each replica. Limits that the operator has switched off are absent.',
      tags,
      authentication,
      limits: limitCallers<{ client_id: string }>([
        { limit: rateLimits.limit('usage-client'), keyOf: ({ client_id }) => client_id },
      ]),
      audit: { none: 'a client reads how many requests it has made, and no data of a user' },
      responses: {
        200: { description: 'The limits.', schema: limitUsageList },
        401: { description: 'Wrong client credentials.' },
      },
    },
    async ({ principal }) => ({
      success: true,
      entry: await Promise.all(limits.map((limit) => usageOf(limit, principal.client_id))),
    }),
  );
}

async function usageOf({ read, ...limit }: ReadLimit, clientId: string): Promise<LimitUsage> {
  const { remaining, resetSeconds } = await read(clientId);
  return {
    name: limit.name,
    description: limit.description,
    quota: limit.quota,
    window_seconds: limit.windowSeconds ?? null,
    remaining,
    resets_at: resetSeconds ? new Date(Date.now() + resetSeconds * 1000).toISOString() : null,
  };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
