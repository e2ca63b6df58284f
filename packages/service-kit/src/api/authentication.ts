import type { Request } from 'express';

/**
 * How the callers of a route are authenticated. Tests check the scheme of every route. `user-or-client` takes tokens of
 * users and client credentials, `bearer-or-client` also tokens of clients (SMART Backend Services). `session` is the
 * cookie of the developer console, which authenticates its own pages only.
 */
export interface Authentication<Principal> {
  scheme: 'none' | 'bearer' | 'client' | 'oauth-client' | 'user-or-client' | 'bearer-or-client' | 'service' | 'session';
  /** `false`: pages of other origins may not call the route, whatever its scheme is. */
  crossOrigin?: false;
  /** The credentials can be in the body, which is then parsed before authentication. */
  readsBody?: true;
  /** @throws HttpError 401 when the credentials are missing or wrong */
  authenticate(request: Request, requestId: string): Promise<Principal>;
}

/** No authentication: a public document. */
export const anyone: Authentication<undefined> = { scheme: 'none', authenticate: () => Promise.resolve(undefined) };

/**
 * No authentication: an address that browsers navigate to. Its responses are redirects and pages, no data for scripts.
 */
export const browserNavigation: Authentication<undefined> = { ...anyone, crossOrigin: false };
