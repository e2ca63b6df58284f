import type { HealthSystemEndpoint } from '@tributary/contracts';
import type { Logger } from 'pino';
import { type DiscoveryCache, DiscoveryFailed } from '../health-systems/discovery-cache';
import type { Registrations } from '../health-systems/registrations';
import { OutboundRequestFailed } from '../outbound/outbound-http';
import type { JourneyError, Leg } from './connect-session';

export interface LegPlanner {
  discoveries: DiscoveryCache;
  registrations: Registrations;
}

export interface LegPlan {
  legs: Leg[];
  /** What kept an endpoint out of the plan. */
  error?: JourneyError | undefined;
}

/**
 * Finds out where each endpoint wants its authorization, and joins those that want the same. Endpoints that cannot be authorized
 * are left out: the others go on without them.
 */
export async function planLegs(
  { discoveries, registrations }: LegPlanner,
  endpoints: HealthSystemEndpoint[],
  log: Logger,
): Promise<LegPlan> {
  const plans = await Promise.all(endpoints.map((endpoint) => planOne(endpoint)));
  const legs = new Map<string, Leg>();
  for (const { key, leg } of plans.flatMap(({ found }) => found ?? [])) {
    const same = legs.get(key);
    if (same) same.endpoints.push(...leg.endpoints);
    else legs.set(key, leg);
  }
  return { legs: [...legs.values()], error: plans.find(({ error }) => error)?.error };

  async function planOne(
    endpoint: HealthSystemEndpoint,
  ): Promise<{ found?: { key: string; leg: Leg }; error?: JourneyError }> {
    try {
      const client = await registrations.find(endpoint.fhir_base_url);
      if (!client) {
        log.warn(
          { host: new URL(endpoint.fhir_base_url).host },
          'our client is not registered at this health system: use `registration set`',
        );
        return { error: 'health_system_not_registered' };
      }
      const server = await discoveries.find(endpoint);
      const key = JSON.stringify([server.authorizationEndpoint, server.tokenEndpoint, client.clientId]);
      return { found: { key, leg: { ...server, endpoints: [endpoint], scopeForm: 'wildcard' } } };
    } catch (error) {
      if (!(error instanceof DiscoveryFailed || error instanceof OutboundRequestFailed)) throw error;
      log.warn({ fhirVersion: endpoint.fhirVersion, reason: error.message }, 'a health system cannot be connected to');
      return { error: 'health_system_error' };
    }
  }
}
