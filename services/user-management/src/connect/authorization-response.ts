import { badRequest } from '@tributary/service-kit';
import type { ConnectDependencies } from './connect-dependencies';
import type { CallbackQuery } from './connect-request';
import type { AuthorizationRequest, ConnectError } from './connect-session';
import type { PendingAuthorization } from './pending-authorizations';

/** An authorization that failed. `message` is for the log, `error` for the client. */
export class AuthorizationFailed extends Error {
  constructor(
    readonly error: ConnectError,
    message: string,
    /** The change of the request with which it may succeed. */
    readonly retryWith?: 'per_type_scopes' | 'older_release',
  ) {
    super(message);
    this.name = 'AuthorizationFailed';
  }
}

/**
 * Consumes the pending authorization that the `state` of a callback names.
 * @throws HttpError 400 when this browser has none with that state
 */
export async function consumeState(
  { pendingAuthorizations, cookie }: Pick<ConnectDependencies, 'pendingAuthorizations' | 'cookie'>,
  state: string | undefined,
  cookieHeader: string | undefined,
): Promise<PendingAuthorization> {
  const browserSecret = state === undefined ? undefined : cookie.read(state, cookieHeader);
  const pending =
    state !== undefined && browserSecret !== undefined
      ? await pendingAuthorizations.consume(state, browserSecret)
      : undefined;
  if (!pending)
    throw badRequest(
      'this authorization is not under way: it was used already, took longer than ten minutes, or began in another browser',
      'invalid_state',
    );
  return pending;
}

/**
 * The code of an authorization response (RFC 6749, sections 4.1.2 and 4.1.2.1).
 * @throws AuthorizationFailed
 */
export function authorizationCode(response: CallbackQuery, request: AuthorizationRequest): string {
  checkIssuer(response, request);
  if (response.error === 'access_denied') throw new AuthorizationFailed('access_denied', 'the user denied access');
  if (response.error !== undefined)
    throw new AuthorizationFailed(
      'health_system_error',
      `the health system responded with ${knownErrors.has(response.error) ? response.error : 'an unknown error code'}`,
      response.error === 'invalid_scope' ? 'per_type_scopes' : undefined,
    );
  if (!response.code) throw new AuthorizationFailed('health_system_error', 'the health system sent no code');
  return response.code;
}

/**
 * A response that names an issuer must come from the requested one (RFC 9207): it prevents that a code is sent to
 * another system.
 */
function checkIssuer({ iss }: CallbackQuery, { issuer }: AuthorizationRequest): void {
  if (iss !== undefined && issuer !== undefined && iss !== issuer)
    throw new AuthorizationFailed('health_system_error', 'the response names another issuer');
}

/** Error codes that may be logged; any other text is the health system's own and could hold personal data. */
const knownErrors = new Set([
  'invalid_request',
  'unauthorized_client',
  'unsupported_response_type',
  'invalid_scope',
  'server_error',
  'temporarily_unavailable',
  'login_required',
  'consent_required',
  'interaction_required',
]);
