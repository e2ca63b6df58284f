import { TokenRefused } from '../health-systems/token-client';
import type { RedirectError } from '@tributary/contracts';
import type { CallbackQuery } from './connect-request';

/** An authorization that failed. `message` is for the log, `error` for the client. Neither quotes the health system. */
export class AuthorizationFailed extends Error {
  constructor(
    readonly error: RedirectError,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'AuthorizationFailed';
  }
}

/**
 * OAuth and OpenID Connect error codes (RFC 6749, sections 4.1.2.1 and 5.2; OpenID Connect Core, section 3.1.2.6). Any
 * other code is the health system's own text: it counts as `system_unavailable`, and is not logged, as it could hold
 * personal data.
 */
const meanings = new Map<string, RedirectError>([
  ['access_denied', 'access_denied'],
  ['login_required', 'access_denied'],
  ['consent_required', 'access_denied'],
  ['interaction_required', 'access_denied'],
  ['account_selection_required', 'access_denied'],
  ['invalid_scope', 'invalid_scope'],
  ['unauthorized_client', 'not_registered'],
  ['invalid_client', 'not_registered'],
  ['invalid_grant', 'expired'],
  ['invalid_request', 'server_error'],
  ['unsupported_response_type', 'server_error'],
  ['unsupported_grant_type', 'server_error'],
  ['server_error', 'system_unavailable'],
  ['temporarily_unavailable', 'system_unavailable'],
]);

/**
 * What an authorization error response means (RFC 6749, section 4.1.2.1). Some health systems respond with a general
 * code, and name the reason in `error_uri` (Oracle Health) or `error_description` only.
 */
export function failureOfResponse(response: CallbackQuery): AuthorizationFailed {
  const { error = '', error_description = '', error_uri = '' } = response;
  const meaning = meanings.get(error) ?? 'system_unavailable';
  const message = `the authorization endpoint responded with ${meanings.has(error) ? error : 'an unknown error code'}`;
  if (meaning === 'access_denied' || meaning === 'invalid_scope') return new AuthorizationFailed(meaning, message);
  const explanation = `${error_description} ${error_uri}`;
  if (/\b(access|user|consent)[-_ ]denied\b/i.test(explanation))
    return new AuthorizationFailed('access_denied', `${message}, which it explains as denied access`);
  if (/\b(invalid[-_ ])?scopes?\b/i.test(explanation))
    return new AuthorizationFailed('invalid_scope', `${message}, which it explains by the scopes`);
  return new AuthorizationFailed(meaning, message);
}

/** What a failed exchange of the code means (RFC 6749, section 5.2). */
export function failureOfTokenRequest(failure: Error): AuthorizationFailed {
  const fail = (error: RedirectError): AuthorizationFailed =>
    new AuthorizationFailed(error, failure.message, { cause: failure });
  if (!(failure instanceof TokenRefused)) return fail('system_unavailable');
  const { status, error } = failure;
  if (status >= 500 || status === 408 || status === 429) return fail('system_unavailable');
  if (status === 401) return fail('not_registered');
  return fail(meanings.get(error ?? '') ?? 'system_unavailable');
}
