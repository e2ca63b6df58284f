import type { Request, Response } from 'express';
import type { Sandbox } from './sandbox';
import { scenarioNames } from './scenarios/catalogue';

/** Under which name and path a request reached the sandbox; links in the answer stay under the same. */
export interface Site {
  origin: string;
  /** Empty, or `/s/{scenarios}`. */
  prefix: string;
  /** The scenarios that the path names. */
  scenarios: string[];
}

/** The site of a request: the configured origin whose host it names, else the first. */
export function siteOf(sandbox: Sandbox, request: Request): Site {
  const host = request.get('host');
  const origin = sandbox.origins.find((candidate) => new URL(candidate).host === host) ?? sandbox.origins[0]!;
  const named = request.params['scenarios'];
  const scenarios = typeof named === 'string' ? scenarioNames(named) : [];
  return { origin, prefix: scenarios.length > 0 ? `/s/${scenarios.join('+')}` : '', scenarios };
}

/** The origin of the sign-in page: browsers may know the sandbox under another name than services do. */
export function browserOriginOf(sandbox: Sandbox, site: Site): string {
  return sandbox.browserOrigin ?? site.origin;
}

/** Sends a JSON document which nobody may keep. */
export function sendUncached(response: Response, status: number, body: unknown): void {
  response.status(status).set({ 'Cache-Control': 'no-store', Pragma: 'no-cache' }).json(body);
}
