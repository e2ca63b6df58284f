import type { Logger } from 'pino';
import { saveConnections } from '../connections/save-connections';
import { TokenRefused, type TokenResponse } from '../health-systems/token-endpoint';
import { patientIdFromToken } from '../health-systems/token-patient-id';
import { OutboundRequestFailed } from '../outbound/outbound-http';
import { UserNoLongerActive } from '../users/user-errors';
import { AuthorizationFailed, authorizationCode, consumeState } from './authorization-response';
import type { ConnectDependencies } from './connect-dependencies';
import type { CallbackQuery } from './connect-request';
import type { AuthorizationRequest, ConnectError, ConnectSession } from './connect-session';
import { type BrowserRedirect, nextRedirect } from './next-redirect';
import type { PendingAuthorization } from './pending-authorizations';

/**
 * Handles a callback: completes the pending authorization and redirects to the next one, or back to the client.
 * @throws HttpError 400 when this browser has no pending authorization with that `state`
 */
export async function finishConnect(
  on: ConnectDependencies,
  response: CallbackQuery,
  cookieHeader: string | undefined,
  requestId: string,
  log: Logger,
): Promise<BrowserRedirect> {
  const pending = await consumeState(on, response.state, cookieHeader);
  const { session, request } = pending;
  const sessionLog = log.child({ requestId, healthSystemId: session.healthSystem.id });
  let nextSession: ConnectSession;
  try {
    await completeAuthorization(on, pending, response, sessionLog);
    nextSession = { ...session, isConnected: true };
  } catch (error) {
    if (!(error instanceof AuthorizationFailed)) throw error;
    sessionLog.warn({ reason: error.message, error: error.error }, 'an authorization failed');
    nextSession = afterFailure(session, request, error);
  }
  const redirect = await nextRedirect(on, nextSession);
  return { ...redirect, cookies: [on.cookie.clear(response.state ?? ''), ...redirect.cookies] };
}

/**
 * Exchanges the code for tokens, stores the connections and enqueues their first collection.
 * @throws AuthorizationFailed
 */
async function completeAuthorization(
  on: ConnectDependencies,
  { session, request, codeVerifier, scope }: PendingAuthorization,
  response: CallbackQuery,
  log: Logger,
): Promise<void> {
  const code = authorizationCode(response, request);
  const tokens = await exchangeCode(on, request, code, codeVerifier);
  const patientId = patientIdFromToken(tokens);
  if (!patientId)
    throw new AuthorizationFailed('health_system_error', 'the token response names no patient', 'older_release');
  const { serviceUserId, clientId, healthSystem } = session;
  const { endpoints, tokenEndpoint, signingAlgorithms } = request;
  const jobs = await failingAs('user_inactive', UserNoLongerActive, () =>
    saveConnections(on.database, on.keys, {
      serviceUserId,
      clientId,
      healthSystem,
      endpoints,
      tokenEndpoint,
      signingAlgorithms,
      patientId,
      requestedScope: scope,
      scope: tokens.scope ?? scope,
      tokens,
      isCounted: session.isConnected,
    }),
  );
  log.info({ connections: jobs.map(({ connection_id }) => connection_id) }, 'connected');
  await on.collectionQueue.tryAdd(jobs);
}

/** RFC 6749, section 4.1.3. @throws AuthorizationFailed */
async function exchangeCode(
  { registrations, tokenEndpoint, callbackUrl }: ConnectDependencies,
  request: AuthorizationRequest,
  code: string,
  codeVerifier: string,
): Promise<TokenResponse> {
  const registration = await registrations.find(request.endpoints[0].fhir_base_url);
  if (!registration)
    throw new AuthorizationFailed('health_system_not_registered', 'our client is not registered any more');
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callbackUrl,
    code_verifier: codeVerifier,
  };
  return failingAs('health_system_error', TokenRefused, () =>
    failingAs('health_system_error', OutboundRequestFailed, () =>
      tokenEndpoint.request({
        tokenEndpoint: request.tokenEndpoint,
        registration,
        signingAlgorithms: request.signingAlgorithms,
        form,
      }),
    ),
  );
}

/** Turns errors of one class into `AuthorizationFailed`. */
async function failingAs<T>(
  as: ConnectError,
  errorClass: new (...of: never[]) => Error,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof errorClass) throw new AuthorizationFailed(as, error.message);
    throw error;
  }
}

const endsSession: ReadonlySet<ConnectError> = new Set(['access_denied', 'user_inactive']);

/**
 * The session after a failed authorization. A rejected wildcard scope is requested again resource type by resource
 * type. A patient without a record in the newest release may have one in an older release. A user who denied access is
 * not asked again.
 */
function afterFailure(
  session: ConnectSession,
  request: AuthorizationRequest,
  { error, retryWith }: AuthorizationFailed,
): ConnectSession {
  const { remainingRequests } = session;
  if (retryWith === 'per_type_scopes' && request.scopeForm === 'wildcard')
    return { ...session, remainingRequests: [{ ...request, scopeForm: 'per_type' }, ...remainingRequests] };
  const firstError = session.firstError ?? error;
  const [, nextEndpoint, ...others] = request.endpoints;
  if (retryWith === 'older_release' && nextEndpoint)
    return {
      ...session,
      firstError,
      remainingRequests: [{ ...request, endpoints: [nextEndpoint, ...others] }, ...remainingRequests],
    };
  return { ...session, firstError, remainingRequests: endsSession.has(error) ? [] : remainingRequests };
}
