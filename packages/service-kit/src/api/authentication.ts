import type { Request } from 'express';

/** How the callers of a route are known. The list of all routes, with this, is what the access tests walk. */
export interface Authentication<Principal> {
  scheme: 'none' | 'bearer' | 'client' | 'oauth-client' | 'bearer-or-client' | 'service';
  /** The credentials may stand in the body, which is then parsed first. */
  readsBody?: true;
  /** @throws HttpError 401 when the caller cannot be known */
  authenticate(request: Request, requestId: string): Promise<Principal>;
}

/** Anyone may call. */
export const anyone: Authentication<undefined> = { scheme: 'none', authenticate: () => Promise.resolve(undefined) };
