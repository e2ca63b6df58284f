import type { Authenticate } from './http.ts';

/**
 * Returns an access token of the user. In a browser it usually requests it from the server of the application.
 * @param options.refused a token that the service refused with 401: return another one
 */
export type AccessTokenSource = (options: {
  refused?: string | undefined;
  signal?: AbortSignal | undefined;
}) => Promise<string>;

const scheme = 'Bearer ';

/** Credentials of requests with an access token (RFC 6750). */
export function bearerCredentials(source: AccessTokenSource): Authenticate {
  return async ({ refused, signal }) => ({
    Authorization: scheme + (await source({ refused: refused?.['Authorization']?.slice(scheme.length), signal })),
  });
}
