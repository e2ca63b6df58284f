import type { AuthClient, DirectoryClient } from '@tributary/contracts';
import type { AccessTokens } from '@tributary/service-kit';
import type { Logger } from 'pino';
import type { DiscoveryCache } from '../health-systems/discovery-cache';
import type { Users } from '../users/users';
import type { ConnectQuery } from './connect-request';
import { checkClient, checkHealthSystem, checkRedirectUri, checkReleases, checkUser } from './connect-rules';
import type { Journey } from './connect-session';
import { type Step, type StepDependencies, nextStep } from './next-redirect';
import { planLegs } from './plan-authorizations';

export interface BeginConnectDependencies extends StepDependencies {
  auth: AuthClient;
  tokens: AccessTokens;
  users: Users;
  directory: DirectoryClient;
  discoveries: DiscoveryCache;
  /** Whether `prompt` and `login_hint` are passed on to the health system. */
  sandboxMode: boolean;
}

/**
 * Begins a user's way to a health system. Whatever breaks a rule is refused in place; from then on the client's redirect_uri is
 * trusted, and hears of every failure.
 * @throws HttpError 400, 401 or 404
 */
export async function beginConnect(
  on: BeginConnectDependencies,
  healthSystemId: number,
  query: ConnectQuery,
  requestId: string,
  log: Logger,
): Promise<Step> {
  const client = await checkClient(on.auth, query.client_id, requestId);
  const serviceUserId = await checkUser(on.tokens, on.users, client, query.access_token, requestId);
  const redirectUri = checkRedirectUri(client, query.redirect_uri);
  const healthSystem = await checkHealthSystem(on.directory, healthSystemId, requestId);
  const endpoints = checkReleases(healthSystem, query.fhirVersion);

  const { legs, error } = await planLegs(on, endpoints, log.child({ requestId, healthSystemId }));
  const journey: Journey = {
    serviceUserId,
    clientId: client.client_id,
    healthSystem: { id: healthSystem.id, name: healthSystem.name },
    redirectUri,
    clientState: query.state,
    hints: on.sandboxMode ? hintsOf(query) : {},
    remaining: legs,
    connected: false,
    firstError: error,
  };
  return nextStep(on, journey);
}

function hintsOf({ prompt, login_hint }: ConnectQuery): Record<string, string> {
  return { ...(prompt === undefined ? {} : { prompt }), ...(login_hint === undefined ? {} : { login_hint }) };
}
