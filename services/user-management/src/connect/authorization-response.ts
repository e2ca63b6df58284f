import { badRequest } from '@tributary/service-kit';
import type { Attempt, Attempts } from './pending-authorizations';
import type { BrowserCookie } from './browser-cookie';
import type { CallbackQuery } from './connect-request';
import type { Leg } from './connect-session';
import { LegFailed } from './authorization-failed';

/** The rules of a callback, each as one function. */

/** The authorization that this browser began under this state; it ends here. */
export async function checkState(
  attempts: Attempts,
  cookie: BrowserCookie,
  state: string | undefined,
  cookies: string | undefined,
): Promise<Attempt> {
  const browserSecret = state === undefined ? undefined : cookie.read(state, cookies);
  const attempt =
    state !== undefined && browserSecret !== undefined ? await attempts.take(state, browserSecret) : undefined;
  if (!attempt)
    throw badRequest(
      'this authorization is not under way: it was used already, took longer than ten minutes, or began in another browser',
      'invalid_state',
    );
  return attempt;
}

/** The code of an authorization response (RFC 6749, section 4.1.2). */
export function authorizationCode(answer: CallbackQuery, leg: Leg): string {
  checkIssuer(answer, leg);
  if (answer.error === 'access_denied') throw new LegFailed('access_denied', 'the user did not allow access');
  if (answer.error !== undefined)
    throw new LegFailed(
      'health_system_error',
      `the health system answered ${knownErrors.has(answer.error) ? answer.error : 'an error of its own'}`,
      answer.error === 'invalid_scope' ? 'scopes by type' : undefined,
    );
  if (!answer.code) throw new LegFailed('health_system_error', 'the health system sent no code');
  return answer.code;
}

/** A response that names its issuer must come from the one that was asked (RFC 9207): else a code could be sent to the wrong system. */
function checkIssuer({ iss }: CallbackQuery, { issuer }: Leg): void {
  if (iss !== undefined && issuer !== undefined && iss !== issuer)
    throw new LegFailed('health_system_error', 'the response names another issuer');
}

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
