import type { HealthSystemEndpoint, RedirectError } from '@tributary/contracts';
import { OutboundRequestFailed } from '@tributary/outbound';
import { describeError } from '@tributary/service-kit';
import type { Logger } from 'pino';
import { DiscoveryFailed } from '../health-systems/discovery';
import type { Dependencies } from '../dependencies';
import type { AuthorizationRequest } from './connect-session';

export interface AuthorizationPlan {
  requests: AuthorizationRequest[];
  /** Why the first of the endpoints that cannot be authorized was left out. */
  error?: RedirectError | undefined;
}

/**
 * Finds the authorization server and our registration of each endpoint, and joins endpoints that share both into one
 * request. Endpoints that cannot be authorized, and those on paused hosts, are left out.
 */
export async function planAuthorizations(
  { discoveryCache, registrations, pausedHosts, acceptedScopeFallbacks }: Dependencies,
  endpoints: HealthSystemEndpoint[],
  log: Logger,
): Promise<AuthorizationPlan> {
  const planned = await Promise.all(endpoints.map((endpoint) => planEndpoint(endpoint)));
  const requests = new Map<string, AuthorizationRequest>();
  for (const { request } of planned) {
    if (!request) continue;
    const { authorizationEndpoint, tokenEndpoint, clientId, redirectUri } = request;
    const key = JSON.stringify([authorizationEndpoint, tokenEndpoint, clientId, redirectUri]);
    const shared = requests.get(key);
    if (shared) shared.endpoints.push(...request.endpoints);
    else requests.set(key, request);
  }
  return { requests: [...requests.values()], error: planned.find(({ error }) => error)?.error };

  async function planEndpoint(
    endpoint: HealthSystemEndpoint,
  ): Promise<{ request?: AuthorizationRequest; error?: RedirectError }> {
    try {
      if (await pausedHosts.includeAny([endpoint.fhir_base_url])) return { error: 'system_unavailable' };
      const registration = await registrations.find(endpoint.fhir_base_url);
      if (!registration) {
        log.warn(
          { host: new URL(endpoint.fhir_base_url).host },
          'our client is not registered at this health system: use `registration set`',
        );
        return { error: 'not_registered' };
      }
      const { clientId, redirectUri, scopes: registeredScopes } = registration;
      const server = await discoveryCache.find(endpoint);
      if (await pausedHosts.includeAny([server.tokenEndpoint])) return { error: 'system_unavailable' };
      const acceptedScopeFallback = await acceptedScopeFallbacks.find(endpoint.fhir_base_url, clientId);
      return {
        request: {
          ...server,
          endpoints: [endpoint],
          clientId,
          redirectUri,
          registeredScopes,
          acceptedScopeFallback,
          refusedScopes: [],
        },
      };
    } catch (error) {
      if (error instanceof DiscoveryFailed || error instanceof OutboundRequestFailed) {
        log.warn(
          { fhirVersion: endpoint.fhirVersion, reason: error.message },
          'a health system cannot be connected to',
        );
        return { error: 'system_unavailable' };
      }
      log.error({ err: describeError(error) }, 'an authorization cannot be planned');
      return { error: 'server_error' };
    }
  }
}
