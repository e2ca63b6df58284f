import { badRequest } from '@tributary/service-kit';
import { AuthorizationFailed, failureOfResponse } from './authorization-failed';
import type { ConnectDependencies } from './connect-dependencies';
import type { CallbackQuery } from './connect-request';
import type { AuthorizationRequest } from './connect-session';
import type { PendingAuthorization } from './pending-authorizations';

/**
 * Consumes the pending authorization that the `state` of a callback names.
 * @throws HttpError 400 when this browser has none with that state
 */
export async function consumeState(
  { pendingAuthorizations, cookie }: Pick<ConnectDependencies, 'pendingAuthorizations' | 'cookie'>,
  state: string | undefined,
  cookieHeader: string | undefined,
): Promise<{ pending: PendingAuthorization; isExpired: boolean }> {
  const browserSecret = state === undefined ? undefined : cookie.read(state, cookieHeader);
  const consumed =
    state !== undefined && browserSecret !== undefined
      ? await pendingAuthorizations.consume(state, browserSecret)
      : undefined;
  if (!consumed)
    throw badRequest(
      'this authorization is not under way: it was used already, took too long, or began in another browser',
      'invalid_state',
    );
  return consumed;
}

/**
 * The code of an authorization response (RFC 6749, sections 4.1.2 and 4.1.2.1).
 * @throws AuthorizationFailed
 */
export function authorizationCode(response: CallbackQuery, request: AuthorizationRequest): string {
  checkIssuer(response, request);
  if (response.code && response.error === undefined) return response.code;
  throw failureOfResponse(response);
}

/**
 * A response that names an issuer must come from the requested one (RFC 9207): it prevents that a code is sent to
 * another system. RFC 9207 compares the URLs as strings. Some health systems write theirs with a slash at the end in
 * one place and without it in the other, so one final slash is ignored. That is safe: both addresses are on one host and
 * under the control of one server, and the code is sent to the token endpoint of the requested issuer only.
 */
function checkIssuer({ iss }: CallbackQuery, { issuer }: AuthorizationRequest): void {
  if (iss !== undefined && issuer !== undefined && iss.replace(/\/$/, '') !== issuer.replace(/\/$/, ''))
    throw new AuthorizationFailed('server_error', 'the response names another issuer');
}
