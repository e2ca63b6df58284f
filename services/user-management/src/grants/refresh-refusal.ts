import { transientClientErrors } from '../health-systems/authorization-server';
import { type TokenRefused, isClientError } from '../health-systems/token-client';

/**
 * What a refused refresh is about:
 *
 * - `grant_ended`: `invalid_grant`. The refresh token is not valid any more.
 * - `grant`: another error of the token endpoint. Some systems report an invalid refresh token so, for example with
 *   `invalid_request`.
 * - `client`: our client is not accepted.
 * - `unclear`: a 401, or a 4xx without an error code. It can be about the refresh token, about our client, or come from
 *   a gateway that refuses every request.
 * - `outage`: a later request may succeed.
 */
export type RefusalSubject = 'grant_ended' | 'grant' | 'client' | 'unclear' | 'outage';

/** Error codes of outages, which some systems send with 400. */
const outageErrors = new Set(['server_error', 'temporarily_unavailable', 'slow_down']);

/** What a refusal of the refresh grant is about (RFC 6749, section 5.2). */
export function subjectOfRefusal(refusal: Pick<TokenRefused, 'status' | 'error'>): RefusalSubject {
  const { status, error } = refusal;
  if (error === 'invalid_grant') return 'grant_ended';
  if (isClientError(refusal)) return 'client';
  if (transientClientErrors.has(status) || (error !== undefined && outageErrors.has(error))) return 'outage';
  // Some systems send error responses with status 200.
  if (status === 400 || (error !== undefined && status !== 401 && status < 500)) return 'grant';
  return status >= 400 && status < 500 ? 'unclear' : 'outage';
}
