import {
  type AuthClient,
  type ClientApplication,
  type DirectoryClient,
  type FhirVersion,
  type HealthSystem,
  type HealthSystemEndpoint,
  mayWrite,
  releasesNewestFirst,
} from '@tributary/contracts';
import {
  type AccessTokens,
  HttpError,
  assertMayWrite,
  badRequest,
  bearerChallenge,
  takeAll,
} from '@tributary/service-kit';
import type { Logger } from 'pino';
import { connectionNotFound } from '../connections/connection-errors';
import type { Connections } from '../connections/connections';
import { tryRecordOutcome } from '../outcomes/connect-outcomes';
import type { Users } from '../users/users';
import { type Audited, type ConnectDependencies, visitFacts } from './connect-dependencies';
import type { ConnectQuery } from './connect-request';
import type { ConnectSession } from './connect-session';
import type { Shown } from './error-page/page-facts';
import { type BrowserRedirect, nextRedirect } from './next-redirect';
import { planAuthorizations } from './plan-authorizations';
import { clientRedirectUrl } from './redirect-urls';

/**
 * Begins a connect session. An invalid request gets an error response; once the redirect_uri of the client is known to
 * be valid, every failure is reported there.
 * @throws HttpError 400, 401, 403, 404 or 429
 */
export async function beginConnect(
  on: ConnectDependencies & Audited & Shown,
  healthSystemId: number,
  query: ConnectQuery,
  requestId: string,
  log: Logger,
): Promise<BrowserRedirect> {
  const client = await checkClient(on.auth, query.client_id, requestId);
  on.show({ appName: client.name, appUrl: appUrlOf(client, healthSystemId, query) });
  const serviceUserId = await checkUser(on.accessTokens, on.users, client, query.access_token, requestId);
  on.audit(visitFacts({ serviceUserId, client, healthSystem: { id: healthSystemId } }));
  if (on.userLimit) await takeAll([{ limit: on.userLimit, key: `${client.client_id}:${serviceUserId}` }]);
  const redirectUri = checkRedirectUri(client, query.redirect_uri);
  const types = checkTypes(client, query.scope_types);
  const healthSystem = await checkHealthSystem(on.directory, client, healthSystemId, requestId);
  on.show({ systemName: healthSystem.name });
  const release = await checkReconnect(on.connections, serviceUserId, healthSystemId, query);
  const endpoints = checkReleases(healthSystem, release);

  const sessionLog = log.child({ requestId, healthSystemId });
  const { requests, error } = await planAuthorizations(on, endpoints, sessionLog);
  await tryRecordOutcome(on.database, sessionLog, healthSystem, 'connect', 'started');
  const session: ConnectSession = {
    serviceUserId,
    client,
    types,
    healthSystem: { id: healthSystem.id, name: healthSystem.name },
    redirectUri,
    clientState: query.state,
    forwardedParameters: on.sandboxMode ? forwardedParametersOf(query) : {},
    remainingRequests: requests,
    connections: [],
    firstError: error,
  };
  return nextRedirect(on, session, sessionLog);
}

/** Where the page of an error leads back to: the redirect_uri of the query, if it is registered, or else the first. */
function appUrlOf(
  { redirect_uris: registered }: ClientApplication,
  healthSystemId: number,
  { redirect_uri, state: clientState }: ConnectQuery,
): string | undefined {
  const redirectUri = registered.find((uri) => uri === redirect_uri) ?? registered[0];
  if (redirectUri === undefined) return undefined;
  const healthSystem = { id: healthSystemId };
  return clientRedirectUrl({ redirectUri, healthSystem, clientState, connections: [], firstError: 'server_error' });
}

function forwardedParametersOf({ prompt, login_hint }: ConnectQuery): Record<string, string> {
  return { ...(prompt === undefined ? {} : { prompt }), ...(login_hint === undefined ? {} : { login_hint }) };
}

/** @throws HttpError 401 */
async function checkClient(auth: AuthClient, clientId: string, requestId: string): Promise<ClientApplication> {
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
  tokens: AccessTokens,
  users: Users,
  client: ClientApplication,
  accessToken: string,
  requestId: string,
): Promise<number> {
  const token = await tokens.resolve(accessToken, requestId);
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

/** Exact string comparison (RFC 9700, section 2.1). @throws HttpError 400 */
function checkRedirectUri(client: ClientApplication, redirectUri: string | undefined): string {
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
  { requested_types: ofClient }: Pick<ClientApplication, 'requested_types'>,
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
  directory: DirectoryClient,
  { mode }: Pick<ClientApplication, 'mode'>,
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
  connections: Connections,
  serviceUserId: number,
  healthSystemId: number,
  { connection_id, fhirVersion }: { connection_id?: string | undefined; fhirVersion?: FhirVersion | undefined },
): Promise<FhirVersion | undefined> {
  if (connection_id === undefined) return fhirVersion;
  const connection = await connections.findOfUser(serviceUserId, connection_id);
  if (connection?.healthSystemId !== healthSystemId) throw connectionNotFound();
  if (fhirVersion !== undefined && fhirVersion !== connection.fhirVersion)
    throw badRequest('fhirVersion: is not the one of the connection');
  return connection.fhirVersion;
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
