import {
  type ClientApplication,
  type FhirVersion,
  type HealthSystem,
  type HealthSystemEndpoint,
  mayWrite,
  releasesNewestFirst,
} from '@tributary/contracts';
import { HttpError, assertMayWrite, badRequest, bearerChallenge, takeAll } from '@tributary/service-kit';
import { connectionNotFound } from '../connections/connection-errors';
import type { Dependencies } from '../dependencies';
import { tryRecordOutcome } from '../outcomes/connect-outcomes';
import type { ConnectQuery, SessionOptions } from './connect-request';
import { connectSession } from './connect-session';
import { type BrowserRedirect, nextRedirect } from './next-redirect';
import { planAuthorizations } from './plan-authorizations';
import { clientRedirectUrl } from './redirect-urls';
import { type SessionCall, sessionAttributes } from './session-call';

/**
 * Begins a connect session. An invalid request gets an error response; once the redirect_uri of the client is known to
 * be valid, every failure is reported there.
 * @throws HttpError 400, 401, 403, 404 or 429
 */
export async function beginConnect(
  dependencies: Dependencies,
  call: SessionCall,
  healthSystemId: number,
  query: ConnectQuery,
): Promise<BrowserRedirect> {
  const client = await checkClient(dependencies, query.client_id, call.requestId);
  call.show({ appName: client.name, appUrl: appUrlOf(client, healthSystemId, query) });
  const serviceUserId = await checkUser(dependencies, client, query.access_token, call.requestId);
  call.audit(sessionAttributes({ serviceUserId, client, healthSystem: { id: healthSystemId } }));
  await takeSession(dependencies, client.client_id, serviceUserId);
  const session = await checkSession(dependencies, call, { client, serviceUserId, healthSystemId, options: query });
  return beginSession(dependencies, call, session);
}

/** Where a page leads back to: the redirect_uri of the options, if it is registered, or else the first one. */
export function appUrlOf(
  { redirect_uris: registered }: ClientApplication,
  healthSystemId: number,
  { redirect_uri, state: clientState }: SessionOptions,
): string | undefined {
  const redirectUri = registered.find((uri) => uri === redirect_uri) ?? registered[0];
  if (redirectUri === undefined) return undefined;
  const healthSystem = { id: healthSystemId };
  return clientRedirectUrl({ redirectUri, healthSystem, clientState, connections: [], firstError: 'server_error' });
}

/** Counts a connect session that the user begins. @throws HttpError 429 */
export async function takeSession({ limits }: Dependencies, clientId: string, serviceUserId: number): Promise<void> {
  if (limits.sessions) await takeAll([{ limit: limits.sessions, key: `${clientId}:${serviceUserId}` }]);
}

/** @throws HttpError 401 */
export async function checkClient(
  { auth }: Dependencies,
  clientId: string,
  requestId: string,
): Promise<ClientApplication> {
  const client = await auth.findClient(clientId, { requestId });
  if (!client) throw new HttpError('invalid_client', 'the client_id is not known', bearerChallenge(false).headers);
  return client;
}

/**
 * The user of the access token, which must belong to this client.
 * @returns the service_user_id
 * @throws HttpError 401; 403 when its scope allows no changes
 */
async function checkUser(
  { accessTokens, users }: Dependencies,
  client: ClientApplication,
  accessToken: string,
  requestId: string,
): Promise<number> {
  const token = await accessTokens.resolve(accessToken, requestId);
  const refused = new HttpError(
    'invalid_token',
    'the access_token is not valid for this client',
    bearerChallenge(true).headers,
  );
  if (token?.service_user_id === undefined || token.client_id !== client.client_id) throw refused;
  const user = await users.find(client.client_id, { serviceUserId: token.service_user_id });
  if (user?.state !== 'active') throw refused;
  assertMayWrite({ mayWrite: mayWrite(token.scope) });
  return user.serviceUserId;
}

export interface SessionRequest {
  client: ClientApplication;
  serviceUserId: number;
  healthSystemId: number;
  /** Of the connect pages, in place of a redirect_uri of the client. */
  returnUrl?: string;
  options: SessionOptions;
}

export interface CheckedSession extends SessionRequest {
  /** Of the client, or of the connect pages. */
  redirectUri: string;
  types: string[] | null;
  healthSystem: HealthSystem;
  endpoints: HealthSystemEndpoint[];
}

/** @throws HttpError 400 or 404 */
export async function checkSession(
  dependencies: Dependencies,
  { requestId, show }: SessionCall,
  request: SessionRequest,
): Promise<CheckedSession> {
  const { client, serviceUserId, healthSystemId, returnUrl, options } = request;
  const redirectUri = returnUrl ?? checkRedirectUri(client, options.redirect_uri);
  const types = checkTypes(client, options.scope_types);
  const healthSystem = await checkHealthSystem(dependencies, client, healthSystemId, requestId);
  show({ systemName: healthSystem.name });
  const release = await checkReconnect(dependencies, serviceUserId, healthSystemId, options);
  return { ...request, redirectUri, types, healthSystem, endpoints: checkReleases(healthSystem, release) };
}

/** Begins a connect session. Every failure is reported to the redirect_uri of the client. */
export async function beginSession(
  dependencies: Dependencies,
  { requestId, log }: SessionCall,
  { client, serviceUserId, types, healthSystem, redirectUri, endpoints, options }: CheckedSession,
): Promise<BrowserRedirect> {
  const sessionLog = log.child({ requestId, healthSystemId: healthSystem.id });
  const { requests, error } = await planAuthorizations(dependencies, endpoints, sessionLog);
  const place = { healthSystem, clientId: client.client_id };
  await tryRecordOutcome(dependencies.database, sessionLog, place, 'connect', 'started');
  return nextRedirect(
    dependencies,
    {
      serviceUserId,
      // Only what the session needs of it: it is stored with each authorization request.
      client: connectSession.shape.client.parse(client),
      types,
      healthSystem: { id: healthSystem.id, name: healthSystem.name },
      redirectUri,
      clientState: options.state,
      confirmsPerson: options.confirm_person === 'true',
      forwardedParameters: dependencies.config.SANDBOX_MODE ? forwardedParametersOf(options) : {},
      remainingRequests: requests,
      connections: [],
      firstError: error,
    },
    sessionLog,
  );
}

function forwardedParametersOf({ prompt, login_hint }: SessionOptions): Record<string, string> {
  return { ...(prompt === undefined ? {} : { prompt }), ...(login_hint === undefined ? {} : { login_hint }) };
}

/** Exact string comparison (RFC 9700, section 2.1). @throws HttpError 400 */
export function checkRedirectUri(client: ClientApplication, redirectUri: string | undefined): string {
  const chosen = redirectUri ?? client.redirect_uris[0];
  if (chosen === undefined || !client.redirect_uris.includes(chosen))
    throw badRequest('the redirect_uri is not registered for this client', 'invalid_redirect_uri');
  return chosen;
}

/**
 * The types to request: those of the query, or else those that the client always asks for. Patient is among them: a
 * record needs its patient. Null: all.
 * @throws HttpError 400 when the query names a type that the client may not ask for
 */
function checkTypes(
  { requested_types: ofClient }: ClientApplication,
  ofQuery: readonly string[] | undefined,
): string[] | null {
  const chosen = ofQuery ?? ofClient;
  if (!chosen) return null;
  const other = chosen.find((type) => type !== 'Patient' && ofClient?.includes(type) === false);
  if (other !== undefined) throw badRequest(`scope_types: the client does not ask for ${other}`);
  return [...new Set(['Patient', ...chosen])].sort();
}

/**
 * A test client sees test systems only, and a live client never does: those of the other mode do not exist for it.
 * @throws HttpError 404
 */
async function checkHealthSystem(
  { directory }: Dependencies,
  { mode }: ClientApplication,
  id: number,
  requestId: string,
): Promise<HealthSystem> {
  const healthSystem = await directory.findHealthSystem(id, { requestId });
  if (healthSystem?.mode !== mode) throw new HttpError('health_system_not_found', 'there is no such health system');
  return healthSystem;
}

/**
 * The release to authorize: that of the connection to reconnect, or else the requested one.
 * @throws HttpError 404 when the user has no such connection to this health system, 400 when it is one of another
 *   release
 */
async function checkReconnect(
  { connections }: Dependencies,
  serviceUserId: number,
  healthSystemId: number,
  { connection_id, fhirVersion }: SessionOptions,
): Promise<FhirVersion | undefined> {
  if (connection_id === undefined) return fhirVersion;
  const connection = await connections.findOfUser(serviceUserId, connection_id);
  if (connection?.health_system_id !== healthSystemId) throw connectionNotFound();
  if (fhirVersion !== undefined && fhirVersion !== connection.fhir_version)
    throw badRequest('fhirVersion: is not the one of the connection');
  return connection.fhir_version;
}

/**
 * The endpoints to collect from, newest release first: that of the requested release, or one per release that the
 * health system supports.
 * @throws HttpError 400
 */
function checkReleases({ endpoints }: HealthSystem, requested: FhirVersion | undefined): HealthSystemEndpoint[] {
  const wanted = requested ? [requested] : releasesNewestFirst;
  const found = wanted.flatMap((release) => endpoints.find(({ fhirVersion }) => fhirVersion === release) ?? []);
  if (found.length === 0)
    throw badRequest(
      requested
        ? 'this health system does not support this fhirVersion'
        : 'this health system supports no FHIR version that can be collected',
      'unsupported_fhir_version',
    );
  return found;
}
