import type { HealthSystemEndpoint } from '@tributary/contracts';
import type { Logger } from 'pino';
import { DiscoveryFailed } from '../health-systems/discovery';
import { OutboundRequestFailed } from '../outbound/outbound-http';
import type { ConnectDependencies } from './connect-dependencies';
import type { AuthorizationRequest, ConnectError } from './connect-session';

export interface AuthorizationPlan {
  requests: AuthorizationRequest[];
  /** Why the first of the endpoints that cannot be authorized was left out. */
  error?: ConnectError | undefined;
}

/**
 * Finds the authorization server and our registration of each endpoint, and joins endpoints that share both into one
 * request. Endpoints that cannot be authorized are left out.
 */
export async function planAuthorizations(
  { discoveryCache, registrations }: Pick<ConnectDependencies, 'discoveryCache' | 'registrations'>,
  endpoints: HealthSystemEndpoint[],
  log: Logger,
): Promise<AuthorizationPlan> {
  const planned = await Promise.all(endpoints.map((endpoint) => planEndpoint(endpoint)));
  const requests = new Map<string, AuthorizationRequest>();
  for (const { request } of planned) {
    if (!request) continue;
    const key = JSON.stringify([request.authorizationEndpoint, request.tokenEndpoint, request.clientId]);
    const shared = requests.get(key);
    if (shared) shared.endpoints.push(...request.endpoints);
    else requests.set(key, request);
  }
  return { requests: [...requests.values()], error: planned.find(({ error }) => error)?.error };

  async function planEndpoint(
    endpoint: HealthSystemEndpoint,
  ): Promise<{ request?: AuthorizationRequest; error?: ConnectError }> {
    try {
      const registration = await registrations.find(endpoint.fhir_base_url);
      if (!registration) {
        log.warn(
          { host: new URL(endpoint.fhir_base_url).host },
          'our client is not registered at this health system: use `registration set`',
        );
        return { error: 'health_system_not_registered' };
      }
      const { clientId, scopes: registeredScopes } = registration;
      const server = await discoveryCache.find(endpoint);
      return { request: { ...server, endpoints: [endpoint], clientId, registeredScopes, scopeForm: 'wildcard' } };
    } catch (error) {
      if (!(error instanceof DiscoveryFailed || error instanceof OutboundRequestFailed)) throw error;
      log.warn({ fhirVersion: endpoint.fhirVersion, reason: error.message }, 'a health system cannot be connected to');
      return { error: 'health_system_error' };
    }
  }
}
