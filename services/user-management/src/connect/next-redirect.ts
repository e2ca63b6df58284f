import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { recordOutcome } from '../outcomes/connect-outcomes';
import { unlessInactive } from '../users/user-errors';
import type { ConnectDependencies } from './connect-dependencies';
import type { ConnectSession } from './connect-session';
import { pendingAuthorizationSeconds, randomSecret } from './pending-authorizations';
import { appendParameters, clientRedirectUrl } from './redirect-urls';
import { scopesToRequest } from './scopes';

/** A 302 response. */
export interface BrowserRedirect {
  location: string;
  /** `Set-Cookie` values. */
  cookies: string[];
}

/**
 * Redirects the browser to the health system with the next authorization request of the session (RFC 6749, section
 * 4.1.1; PKCE; SMART App Launch, "standalone launch"), or back to the client when none remains.
 * @see https://hl7.org/fhir/smart-app-launch/app-launch.html
 */
export async function nextRedirect(
  {
    database,
    pendingAuthorizations,
    cookie,
    callbackUrl,
  }: Pick<ConnectDependencies, 'database' | 'pendingAuthorizations' | 'cookie' | 'callbackUrl'>,
  session: ConnectSession,
): Promise<BrowserRedirect> {
  const [request, ...remainingRequests] = session.remainingRequests;
  if (!request) return endSession(database, session);
  const codeVerifier = randomSecret();
  const scope = scopesToRequest({
    releases: request.endpoints.map(({ fhirVersion }) => fhirVersion),
    supported: request.scopesSupported,
    registered: request.registeredScopes,
    form: request.scopeForm,
  });
  const pending = { session: { ...session, remainingRequests }, request, codeVerifier, scope };
  const created = await unlessInactive(() => pendingAuthorizations.create(pending));
  if (!created) return endSession(database, { ...session, firstError: 'user_inactive' });
  const { state, browserSecret } = created;
  const location = appendParameters(request.authorizationEndpoint, {
    response_type: 'code',
    client_id: request.clientId,
    redirect_uri: callbackUrl,
    scope,
    state,
    aud: request.endpoints[0].fhir_base_url,
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...session.forwardedParameters,
  });
  return { location, cookies: [cookie.set(state, browserSecret, pendingAuthorizationSeconds)] };
}

/** Sends the browser back to the client. A visit without a connection is counted by its error. */
async function endSession(database: DataSource, session: ConnectSession): Promise<BrowserRedirect> {
  const { isConnected, firstError, healthSystem } = session;
  if (!isConnected) await recordOutcome(database.manager, healthSystem, 'connect', firstError ?? 'other');
  return { location: clientRedirectUrl(session), cookies: [] };
}
