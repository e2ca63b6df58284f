import type { Request } from 'express';
import type { Sandbox } from './sandbox';
import { scenarioNames } from './scenarios/catalogue';

/** The public base URL of a request, `{origin}{prefix}`: links in the response keep it. */
export interface PublicBase {
  origin: string;
  /** Empty, or `/s/{scenarios}`. */
  prefix: string;
  /** The scenarios that the path names. */
  scenarios: string[];
}

/** The base of a request: the configured origin with the request's `Host`, or the first origin. */
export function publicBaseOf(sandbox: Sandbox, request: Request): PublicBase {
  const host = request.get('host');
  const origin = sandbox.origins.find((candidate) => new URL(candidate).host === host) ?? sandbox.origins[0]!;
  const named = request.params['scenarios'];
  const scenarios = typeof named === 'string' ? scenarioNames(named) : [];
  return { origin, prefix: scenarios.length > 0 ? `/s/${scenarios.join('+')}` : '', scenarios };
}
