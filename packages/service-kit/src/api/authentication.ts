import type { Request } from 'express';

/** How the callers of a route are authenticated. Tests check the scheme of every route. */
export interface Authentication<Principal> {
  scheme: 'none' | 'bearer' | 'client' | 'oauth-client' | 'bearer-or-client' | 'service';
  /** The credentials can be in the body, which is then parsed before authentication. */
  readsBody?: true;
  /** @throws HttpError 401 when the credentials are missing or wrong */
  authenticate(request: Request, requestId: string): Promise<Principal>;
}

/** No authentication. */
export const anyone: Authentication<undefined> = { scheme: 'none', authenticate: () => Promise.resolve(undefined) };
