import { maxClientsOfOrganisation } from '@tributary/contracts';
import { type Api, type RateLimits, type ReadLimit, ofLimit, serveUsage } from '@tributary/service-kit';
import type { ClientApplications } from './client-applications';
import { type ClientRoutesDependencies, clientAuthentication } from './client-routes';

export interface ClientUsageDependencies extends Pick<ClientRoutesDependencies, 'clients' | 'guard'> {
  rateLimits: RateLimits;
}

/**
 * Serves a client its use of the limits that count its requests to auth, and those of all of its users to the APIs that
 * take no credentials of clients.
 */
export function serveClientUsage(api: Api, { clients, guard, rateLimits }: ClientUsageDependencies): void {
  serveUsage(api, {
    path: '/client-management/v1/usage',
    operationId: 'readClientUsage',
    subject: 'tokens, client management, FHIR and the search of health systems',
    tags: ['Clients'],
    authentication: clientAuthentication(clients, guard),
    rateLimits,
    limits: [
      ...(['tokens-client', 'fhir-client', 'search-client'] as const).flatMap((name) =>
        ofLimit(rateLimits.limit(name, 'refuse')),
      ),
      organisationClients(clients),
    ],
  });
}

function organisationClients(clients: ClientApplications): ReadLimit {
  return {
    name: 'organisation-clients',
    description: 'Client applications that the organisation of the client has.',
    quota: maxClientsOfOrganisation,
    read: async (clientId) => ({
      remaining: Math.max(0, maxClientsOfOrganisation - (await clients.countInOrganisationOf(clientId))),
    }),
  };
}
