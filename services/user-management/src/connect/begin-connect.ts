import { type ClientApplication, mayWrite } from '@tributary/contracts';
import { HttpError, assertMayWrite, bearerChallenge, takeAll } from '@tributary/service-kit';
import type { Dependencies } from '../dependencies';
import { type VisitCall, sessionAttributes } from './visit-call';
import type { ConnectQuery, VisitOptions } from './connect-request';
import type { BrowserRedirect } from './next-redirect';
import { clientRedirectUrl } from './redirect-urls';
import { beginVisit, checkVisit } from './visit';

/**
 * Begins a connect session. An invalid request gets an error response; once the redirect_uri of the client is known to
 * be valid, every failure is reported there.
 * @throws HttpError 400, 401, 403, 404 or 429
 */
export async function beginConnect(
  dependencies: Dependencies,
  call: VisitCall,
  healthSystemId: number,
  query: ConnectQuery,
): Promise<BrowserRedirect> {
  const client = await checkClient(dependencies, query.client_id, call.requestId);
  call.show({ appName: client.name, appUrl: appUrlOf(client, healthSystemId, query) });
  const serviceUserId = await checkUser(dependencies, client, query.access_token, call.requestId);
  call.audit(sessionAttributes({ serviceUserId, client, healthSystem: { id: healthSystemId } }));
  await takeVisit(dependencies, client.client_id, serviceUserId);
  const visit = await checkVisit(dependencies, call, { client, serviceUserId, healthSystemId, options: query });
  return beginVisit(dependencies, call, visit);
}

/** Where a page leads back to: the redirect_uri of the options, if it is registered, or else the first one. */
export function appUrlOf(
  { redirect_uris: registered }: ClientApplication,
  healthSystemId: number,
  { redirect_uri, state: clientState }: VisitOptions,
): string | undefined {
  const redirectUri = registered.find((uri) => uri === redirect_uri) ?? registered[0];
  if (redirectUri === undefined) return undefined;
  const healthSystem = { id: healthSystemId };
  return clientRedirectUrl({ redirectUri, healthSystem, clientState, connections: [], firstError: 'server_error' });
}

/** Counts a visit that the user begins. @throws HttpError 429 */
export async function takeVisit({ limits }: Dependencies, clientId: string, serviceUserId: number): Promise<void> {
  if (limits.visits) await takeAll([{ limit: limits.visits, key: `${clientId}:${serviceUserId}` }]);
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
