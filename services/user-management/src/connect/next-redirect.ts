import { createHash } from 'node:crypto';
import { appendParameters, describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { DataSource } from 'typeorm';
import { tryRecordOutcome } from '../outcomes/connect-outcomes';
import { unlessInactive } from '../users/user-errors';
import type { Dependencies } from '../dependencies';
import type { AuthorizationRequest, ConnectSession } from './connect-session';
import { browserSecretSeconds } from './pending-authorizations';
import { clientRedirectUrl } from './redirect-urls';
import { type ScopeFallback, scopesToRequest } from './scopes';
import { randomSecret } from './secrets';

export interface BrowserRedirect {
  location: string;
  /** `Set-Cookie` values. */
  cookies: string[];
  /** When the redirect ends the session. */
  ended?: ConnectSession;
}

/**
 * Redirects the browser to the health system with the next authorization request of the session (RFC 6749, section
 * 4.1.1; PKCE; SMART App Launch, "standalone launch"), or back to the client when none remains, or on an error of this
 * service. It does not throw.
 * @see https://hl7.org/fhir/smart-app-launch/app-launch.html
 */
export async function nextRedirect(
  dependencies: Dependencies,
  session: ConnectSession,
  log: Logger,
): Promise<BrowserRedirect> {
  const [request, ...remainingRequests] = session.remainingRequests;
  if (!request) return endSession(dependencies.database, session, log);
  try {
    const redirect = await unlessInactive(() =>
      beginAuthorization(dependencies, { ...session, remainingRequests }, request),
    );
    return redirect ?? (await endSession(dependencies.database, { ...session, firstError: 'user_inactive' }, log));
  } catch (error) {
    log.error({ err: describeError(error) }, 'an authorization cannot be started');
    return endSession(dependencies.database, { ...session, firstError: 'server_error' }, log);
  }
}

/** @throws UserNoLongerActive */
async function beginAuthorization(
  { pendingAuthorizations, cookie }: Dependencies,
  session: ConnectSession,
  request: AuthorizationRequest,
): Promise<BrowserRedirect> {
  const codeVerifier = randomSecret();
  const next = nextScope(session, request);
  if (!next) throw new Error('no scopes are left to request');
  const { scope, step: scopeFallback } = next;
  const { state, browserSecret } = await pendingAuthorizations.create({
    session,
    request,
    codeVerifier,
    scope,
    scopeFallback,
  });
  const location = appendParameters(request.authorizationEndpoint, {
    response_type: 'code',
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    scope,
    state,
    aud: request.endpoints[0].fhir_base_url,
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...session.forwardedParameters,
  });
  return { location, cookies: [cookie.set(state, browserSecret, browserSecretSeconds)] };
}

/** The first scopes that the health system has not refused in this session; undefined when it has refused all. */
export function nextScope(
  { types, client }: ConnectSession,
  request: AuthorizationRequest,
): { step: ScopeFallback; scope: string } | undefined {
  return scopesToRequest({
    releases: request.endpoints.map(({ fhirVersion }) => fhirVersion),
    types,
    isAccessOnce: client.consent_days === 0,
    supported: request.scopesSupported,
    capabilities: request.capabilities,
    registered: request.registeredScopes,
    accepted: request.acceptedScopeFallback,
  }).find(({ scope }) => !request.refusedScopes.includes(scope));
}

/** Sends the browser back to the client. A connect session without a connection is counted by its error. */
async function endSession(database: DataSource, session: ConnectSession, log: Logger): Promise<BrowserRedirect> {
  const { connections, firstError = 'server_error', healthSystem, client } = session;
  const place = { healthSystem, clientId: client.client_id };
  if (connections.length === 0) await tryRecordOutcome(database, log, place, 'connect', firstError);
  return { location: clientRedirectUrl(session), cookies: [], ended: session };
}
