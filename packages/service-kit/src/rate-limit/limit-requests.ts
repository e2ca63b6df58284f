import type { BlockList } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import type { RouteLimit } from '../api/route';
import type { AuthenticatedUser } from '../authentication/user-authentication';
import { rateLimitHeaders } from '../open-api/headers';
import { addressKey, clientAddress } from '../transport/client-address';
import { rateLimitFields } from './rate-limit-headers';
import type { LimitResult, RequestLimit } from './request-limit';
import { takeAll } from './take-all';

/** A limit of a route; it is absent when the operator has switched it off. */
export interface KeyedLimit<Principal> {
  limit: RequestLimit | undefined;
  /** The key whose requests are counted together; undefined when the limit does not concern the request. */
  keyOf: (principal: Principal, request: Request) => string | undefined;
}

/** Limits the requests of authenticated callers. */
export function limitCallers<Principal>(limits: readonly KeyedLimit<Principal>[]): RouteLimit[] {
  return limitsOf('after authentication', limits, ({ keyOf }, request, response) =>
    keyOf(response.locals['principal'] as Principal, request),
  );
}

/** Limits the requests of each user, and those of all users of a client. */
export function limitUsers(user: RequestLimit | undefined, client?: RequestLimit): RouteLimit[] {
  return limitCallers<AuthenticatedUser>([
    { limit: user, keyOf: ({ serviceUserId }) => String(serviceUserId) },
    { limit: client, keyOf: ({ clientId }) => clientId },
  ]);
}

/** Limits the requests of each address, before the authentication. */
export function limitAddresses(limit: RequestLimit | undefined, trustedProxies: BlockList): RouteLimit[] {
  const keyOf = (request: Request): string => addressKey(clientAddress(request, trustedProxies));
  return limitsOf('before authentication', [{ limit }], (_limit, request) => keyOf(request));
}

function limitsOf<Limit extends { limit: RequestLimit | undefined }>(
  runs: RouteLimit['runs'],
  limits: readonly Limit[],
  keyOf: (limit: Limit, request: Request, response: Response) => string | undefined,
): RouteLimit[] {
  if (limits.every(({ limit }) => limit === undefined)) return [];
  const handle: RequestHandler = async (request, response, next) => {
    const counted = limits.flatMap((each) => {
      const key = each.limit && keyOf(each, request, response);
      return each.limit && key !== undefined ? [{ limit: each.limit, key }] : [];
    });
    showLimits(response, await takeAll(counted, 1, resultsOf(response)));
    next();
  };
  return [{ runs, handle, headers: rateLimitHeaders }];
}

/** Sets the `RateLimit` fields of a response to all results that are known. */
export function showLimits(response: Response, results: readonly LimitResult[]): void {
  response.locals['limits'] = results;
  response.set(rateLimitFields(results));
}

/** The results of the limits that have counted this request. */
export function resultsOf(response: Response): readonly LimitResult[] {
  return (response.locals['limits'] as readonly LimitResult[] | undefined) ?? [];
}
