import type { CountedBy, RateLimits, RequestLimit } from '@tributary/service-kit';
import type { FhirStoreConfig } from '../config';
import { ConcurrentRequests } from './concurrent-requests';

/** The rate limits of FHIR requests; one that the operator has switched off is absent. */
export interface FhirLimits {
  user: RequestLimit | undefined;
  client: RequestLimit | undefined;
  /** Those of one user in this process. */
  concurrent: ConcurrentRequests;
}

/** Entries of a Bundle that cost as much as one request, unless their routes are costly. */
const entriesPerToken = 10;

export function fhirLimits(
  limits: RateLimits,
  { LIMIT_FHIR_CONCURRENT }: Pick<FhirStoreConfig, 'LIMIT_FHIR_CONCURRENT'>,
): FhirLimits {
  return {
    user: limits.limit('fhir-user'),
    client: limits.limit('fhir-client'),
    concurrent: new ConcurrentRequests(LIMIT_FHIR_CONCURRENT),
  };
}

/** The limits that count the requests of this user and client. */
export function limitsOf(
  { user, client }: FhirLimits,
  { serviceUserId, clientId }: { serviceUserId: number; clientId: string },
): CountedBy[] {
  return [
    ...(user ? [{ limit: user, key: String(serviceUserId) }] : []),
    ...(client ? [{ limit: client, key: clientId }] : []),
  ];
}

/** The tokens that a request costs, by the name of its route. */
export function costOfRoute(name: string): number {
  if (name.endsWith('$everything')) return 10;
  return name.endsWith('_history') ? 2 : 1;
}

/**
 * The tokens that the entries of a Bundle cost, by the names of their routes, beside the one of the request. A costly
 * route costs as much as outside of a Bundle.
 */
export function costOfEntries(routes: readonly string[]): number {
  const costs = routes.map(costOfRoute);
  const ordinary = costs.filter((cost) => cost === 1).length;
  const costly = costs.reduce((sum, cost) => (cost === 1 ? sum : sum + cost), 0);
  return Math.max(0, costly + Math.ceil(ordinary / entriesPerToken) - 1);
}
