import type { Logger } from 'pino';
import { tryRecordOutcome } from '../outcomes/connect-outcomes';
import type { ConnectDependencies } from './connect-dependencies';
import type { ConnectQuery } from './connect-request';
import {
  checkClient,
  checkHealthSystem,
  checkReconnect,
  checkRedirectUri,
  checkReleases,
  checkUser,
} from './connect-rules';
import type { ConnectSession } from './connect-session';
import { type BrowserRedirect, nextRedirect } from './next-redirect';
import { planAuthorizations } from './plan-authorizations';

/**
 * Begins a connect session. An invalid request gets an error response; once the redirect_uri of the client is known to
 * be valid, every failure is reported there.
 * @throws HttpError 400, 401 or 404
 */
export async function beginConnect(
  on: ConnectDependencies,
  healthSystemId: number,
  query: ConnectQuery,
  requestId: string,
  log: Logger,
): Promise<BrowserRedirect> {
  const client = await checkClient(on.auth, query.client_id, requestId);
  const serviceUserId = await checkUser(on.accessTokens, on.users, client, query.access_token, requestId);
  const redirectUri = checkRedirectUri(client, query.redirect_uri);
  const healthSystem = await checkHealthSystem(on.directory, client, healthSystemId, requestId);
  const release = await checkReconnect(on.connections, serviceUserId, healthSystemId, query);
  const endpoints = checkReleases(healthSystem, release);

  const sessionLog = log.child({ requestId, healthSystemId });
  const { requests, error } = await planAuthorizations(on, endpoints, sessionLog);
  await tryRecordOutcome(on.database, sessionLog, healthSystem, 'connect', 'started');
  const session: ConnectSession = {
    serviceUserId,
    clientId: client.client_id,
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

function forwardedParametersOf({ prompt, login_hint }: ConnectQuery): Record<string, string> {
  return { ...(prompt === undefined ? {} : { prompt }), ...(login_hint === undefined ? {} : { login_hint }) };
}
