import type { RedirectError } from '@tributary/contracts';
import { OutboundRequestFailed } from '@tributary/outbound';
import { type HttpError, badRequest, describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import { OtherPerson } from '../connections/people';
import { tokenSetOf } from '../grants/grant-tokens';
import { requestPatientId, requestPerson } from '../health-systems/request-patient';
import { TokenRefused, type TokenResponse } from '../health-systems/token-client';
import { namesNoSinglePatient, patientIdFromToken } from '../health-systems/token-patient-id';
import { enqueueRevocation } from '../revocations/revocation-queue';
import { unlessInactive } from '../users/user-errors';
import { AuthorizationFailed, failureOfResponse, failureOfTokenRequest } from './authorization-failed';
import type { Dependencies } from '../dependencies';
import { type SessionCall, sessionAttributes } from './session-call';
import type { CallbackQuery } from './connect-request';
import type { AuthorizationRequest, ConnectSession } from './connect-session';
import { type BrowserRedirect, nextRedirect, nextScope } from './next-redirect';
import type { PageError } from './pages/english';
import { type PendingAuthorization, browserSecretSeconds } from './pending-authorizations';
import { clientRedirectUrl } from './redirect-urls';
import { saveConnections } from './save-connections';
import { randomSecret } from './secrets';

/** An authorization response as the browser brings it. */
export interface BroughtResponse {
  query: CallbackQuery;
  /** The address to which it came. */
  redirectUri: string;
  cookieHeader: string | undefined;
}

/** How the secret in the cookie begins once the `state` was used. */
const usedMark = 'used.';

/**
 * Handles a callback: completes the pending authorization and redirects to the next one, or back to the client. A
 * callback that has ended a connect session of this browser redirects again when it is reloaded.
 * @throws HttpError 400 when this browser has no pending authorization with that `state`
 */
export async function finishConnect(
  dependencies: Dependencies,
  call: SessionCall,
  response: BroughtResponse,
): Promise<BrowserRedirect> {
  const { state } = response.query;
  const ended = await reloadedEnd(dependencies, state, response.cookieHeader);
  if (ended) {
    call.audit(sessionAttributes(ended));
    return { location: clientRedirectUrl(ended), cookies: [] };
  }
  const { pending, isExpired } = await consumeState(dependencies, call, state, response.cookieHeader);
  call.audit(sessionAttributes(pending.session));
  call.show({ appName: pending.session.client.name, systemName: pending.session.healthSystem.name });
  const sessionLog = call.log.child({ requestId: call.requestId, healthSystemId: pending.session.healthSystem.id });
  const nextSession = isExpired
    ? sessionAfterFailure(pending, new AuthorizationFailed('expired', 'the user returned too late'), sessionLog)
    : await completeAuthorization(dependencies, pending, response, sessionLog).catch((error: unknown) =>
        sessionAfterFailure(pending, error, sessionLog),
      );
  call.audit(sessionAttributes(nextSession));
  const redirect = await nextRedirect(dependencies, nextSession, sessionLog);
  const used = await markUsed(dependencies, state ?? '', redirect.ended, sessionLog);
  return { ...redirect, cookies: [used, ...redirect.cookies] };
}

function reloadedEnd(
  { pendingAuthorizations, cookie }: Dependencies,
  state: string | undefined,
  cookieHeader: string | undefined,
): Promise<ConnectSession | undefined> | undefined {
  const mark = state && cookie.read(state, cookieHeader);
  return state && mark?.startsWith(usedMark) ? pendingAuthorizations.endOf(state, mark) : undefined;
}

/** The cookie that replaces the secret of a used `state`. The session has ended, whether its end can be kept or not. */
async function markUsed(
  { pendingAuthorizations, cookie }: Dependencies,
  state: string,
  ended: ConnectSession | undefined,
  log: Logger,
): Promise<string> {
  const mark = `${usedMark}${randomSecret()}`;
  try {
    if (ended) await unlessInactive(() => pendingAuthorizations.keepEnd(state, mark, ended));
  } catch (error) {
    log.warn(
      { err: describeError(error) },
      'the end of a connect session was not kept: a reload of its callback shows an error',
    );
  }
  return cookie.set(state, mark, browserSecretSeconds);
}

/**
 * Consumes the pending authorization that the `state` of a callback names.
 * @throws HttpError 400 when this browser has none with that state
 */
async function consumeState(
  { pendingAuthorizations, cookie }: Dependencies,
  { show }: SessionCall,
  state: string | undefined,
  cookieHeader: string | undefined,
): Promise<{ pending: PendingAuthorization; isExpired: boolean }> {
  const refused = (pageError: PageError, message: string): HttpError => {
    show({ pageError });
    return badRequest(message, 'invalid_state');
  };
  if (!state) throw refused('unreadable_response', 'the callback has no state');
  const browserSecret = cookie.read(state, cookieHeader);
  if (browserSecret?.startsWith(usedMark)) throw refused('used_state', 'this authorization was used already');
  const consumed = browserSecret === undefined ? undefined : await pendingAuthorizations.consume(state, browserSecret);
  if (consumed) return consumed;
  // A browser without the cookie does not learn whether somebody's authorization with this state is in progress.
  throw refused('state_not_of_browser', 'this authorization is not in progress in this browser');
}

/**
 * Exchanges the code for tokens, stores the connections and enqueues their first collection. Tokens from which no
 * connection was made are revoked.
 * @throws AuthorizationFailed
 */
async function completeAuthorization(
  dependencies: Dependencies,
  pending: PendingAuthorization,
  { query, redirectUri }: BroughtResponse,
  log: Logger,
): Promise<ConnectSession> {
  const { request, codeVerifier } = pending;
  checkSender(query, request, redirectUri);
  if (!query.code || query.error !== undefined) throw failureOfResponse(query);
  const tokens = await exchangeCode(dependencies, request, query.code, codeVerifier);
  try {
    return await addConnections(dependencies, pending, tokens, log);
  } catch (error) {
    await revokeUnusedTokens(dependencies, pending, tokens, log);
    throw error;
  }
}

/**
 * An authorization response must come from the server that was asked, or a code would be sent to another one (RFC 9700,
 * section 4.4): to the redirect_uri of the request, and from its issuer when it names one (RFC 9207). RFC 9207 compares
 * the URLs as strings. Some health systems write theirs with a slash at the end in one place and without it in the
 * other, so one final slash is ignored. That is safe: both addresses are on one host and under the control of one
 * server, and the code is sent to the token endpoint of the requested issuer only. Some name an issuer in responses and
 * none in their metadata: it must be at a host of the request.
 * @throws AuthorizationFailed
 */
function checkSender({ iss }: CallbackQuery, request: AuthorizationRequest, redirectUri: string): void {
  if (redirectUri !== request.redirectUri)
    throw new AuthorizationFailed('server_error', 'the response came to the redirect_uri of another registration');
  if (iss === undefined) return;
  const { issuer, authorizationEndpoint, tokenEndpoint, endpoints } = request;
  const isAsked =
    issuer === undefined
      ? [authorizationEndpoint, tokenEndpoint, endpoints[0].fhir_base_url].some((url) => isAtHostOf(iss, url))
      : iss.replace(/\/$/, '') === issuer.replace(/\/$/, '');
  if (!isAsked) throw new AuthorizationFailed('server_error', 'the response names another issuer');
}

function isAtHostOf(issuer: string, url: string): boolean {
  return URL.canParse(issuer) && new URL(issuer).host === new URL(url).host;
}

/** @throws AuthorizationFailed */
async function addConnections(
  dependencies: Dependencies,
  pending: PendingAuthorization,
  tokens: TokenResponse,
  log: Logger,
): Promise<ConnectSession> {
  const { session, request, scopeFallback } = pending;
  const patientId =
    patientIdFromToken(tokens) ??
    // Not asked of tokens that name several patients, or a user who is no patient: nobody else may be chosen.
    (namesNoSinglePatient(tokens)
      ? undefined
      : await requestPatientId(dependencies.http, request.endpoints[0], request, tokens.access_token));
  if (!patientId) throw new AuthorizationFailed('no_patient', 'the health system names no patient');
  const { endpoints } = request;
  const person = await requestPerson(dependencies.http, endpoints[0], patientId, tokens.access_token);
  const saved = await unlessInactive(() => saveConnections(dependencies, { pending, tokens, patientId, person })).catch(
    (error: unknown) => {
      throw error instanceof OtherPerson ? new AuthorizationFailed('other_person', error.message) : error;
    },
  );
  if (!saved) throw new AuthorizationFailed('user_inactive', 'the user is not active any more');
  const { jobs, isOtherPerson } = saved;
  log.info({ connections: jobs.map(({ connection_id }) => connection_id), scopeFallback }, 'connected');
  await dependencies.collectionQueue.tryAdd(jobs);
  // Remember the fallback only for wildcard requests: per-type scopes say nothing about wildcards.
  if (request.refusedScopes.length > 0 && session.types === null)
    await dependencies.acceptedScopeFallbacks.save(request, scopeFallback, log);
  const connections = endpoints.flatMap(({ fhirVersion }, index) => {
    const connectionId = jobs[index]?.connection_id;
    return connectionId === undefined ? [] : [{ connectionId, fhirVersion }];
  });
  return {
    ...session,
    connections: [...session.connections, ...connections],
    ...(isOtherPerson ? { hasOtherPerson: true } : {}),
  };
}

/** RFC 6749, section 4.1.3. @throws AuthorizationFailed */
async function exchangeCode(
  { registrations, pausedHosts, tokenClient }: Dependencies,
  request: AuthorizationRequest,
  code: string,
  codeVerifier: string,
): Promise<TokenResponse> {
  if (await pausedHosts.includeAny([request.tokenEndpoint, request.endpoints[0].fhir_base_url]))
    throw new AuthorizationFailed('system_unavailable', 'the operator has paused all requests to the health system');
  const registration = await registrations.find(request.endpoints[0].fhir_base_url);
  if (!registration) throw new AuthorizationFailed('not_registered', 'our client is not registered any more');
  const { tokenEndpoint, authMethods, signingAlgorithms, redirectUri: redirect_uri } = request;
  const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier: codeVerifier };
  try {
    return await tokenClient.exchangeCode({ tokenEndpoint, registration, authMethods, signingAlgorithms, form });
  } catch (error) {
    if (error instanceof TokenRefused || error instanceof OutboundRequestFailed) throw failureOfTokenRequest(error);
    throw error;
  }
}

/**
 * Longer than an authorization can take: a later one of the same user, after which the tokens are not revoked, has
 * ended by then.
 */
const revocationDelaySeconds = 900;

/**
 * Enqueues the revocation (RFC 7009) of tokens from which no connection was made. They are not revoked when the user
 * has succeeded at the same authorization server meanwhile, also with another release. It does not throw.
 */
async function revokeUnusedTokens(
  { database, keys }: Dependencies,
  { session, request }: PendingAuthorization,
  tokens: TokenResponse,
  log: Logger,
): Promise<void> {
  const [{ fhir_base_url: fhirBaseUrl, fhirVersion }] = request.endpoints;
  try {
    await enqueueRevocation(
      database,
      await keys.of('token-revocations'),
      {
        serviceUserId: session.serviceUserId,
        fhirBaseUrl,
        fhirVersion,
        supersededBy: request.endpoints.map((endpoint) => endpoint.fhir_base_url),
        clientAuthenticationMethod: tokens.clientAuthenticationMethod,
        tokens: tokenSetOf(tokens),
      },
      revocationDelaySeconds,
    );
  } catch (error) {
    log.error({ err: describeError(error) }, 'the tokens of a failed connect cannot be revoked');
  }
}

/**
 * The session after a failed authorization. After refused scopes the next ones are requested. A patient without a
 * record in the newest release may have one in an older release. Other releases with an authorization server of their
 * own are requested next, except where the user denied access, or the failure concerns the whole session.
 */
function sessionAfterFailure(
  { session, request, scope }: PendingAuthorization,
  cause: unknown,
  log: Logger,
): ConnectSession {
  const error = cause instanceof AuthorizationFailed ? cause.error : 'server_error';
  const facts = { error, host: new URL(request.tokenEndpoint).host };
  const { remainingRequests } = session;
  if (error === 'invalid_scope') {
    const withOtherScopes = { ...request, refusedScopes: [...request.refusedScopes, scope] };
    if (nextScope(session, withOtherScopes)) {
      log.info({ ...facts, refused: withOtherScopes.refusedScopes.length }, 'the scopes are refused; others follow');
      return { ...session, remainingRequests: [withOtherScopes, ...remainingRequests] };
    }
  }
  if (cause instanceof AuthorizationFailed) log.warn({ ...facts, reason: cause.message }, logMessages[error]);
  else log.error({ ...facts, err: describeError(cause) }, logMessages[error]);
  const firstError = session.firstError ?? error;
  const [, nextEndpoint, ...others] = request.endpoints;
  if (error === 'no_patient' && nextEndpoint)
    return {
      ...session,
      firstError,
      remainingRequests: [{ ...request, endpoints: [nextEndpoint, ...others] }, ...remainingRequests],
    };
  return endsSession.has(error)
    ? { ...session, firstError: error, remainingRequests: [] }
    : { ...session, firstError, remainingRequests };
}

const endsSession: ReadonlySet<RedirectError> = new Set(['access_denied', 'expired', 'other_person', 'user_inactive']);

const logMessages: Record<RedirectError, string> = {
  access_denied: 'an authorization was denied by the user',
  no_patient: 'an authorization failed: the account has no patient',
  other_person: 'an authorization failed: the patient is another person than those of the record',
  invalid_scope:
    'an authorization failed: the health system refuses all scopes; set those of our registration with `registration set --scopes`',
  not_registered:
    'an authorization failed: the health system does not accept our client; correct it with `registration set`',
  system_unavailable: 'an authorization failed: the health system is not available',
  expired: 'an authorization failed: it took too long',
  server_error: 'an authorization failed: an error of this service, or a request that the health system rejects',
  user_inactive: 'an authorization failed: the user is not active any more',
};
