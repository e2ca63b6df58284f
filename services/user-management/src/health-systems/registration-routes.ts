import { registeredPatterns } from '@tributary/contracts';
import { type Api, serviceKeyAuthentication } from '@tributary/service-kit';
import type { Dependencies } from '../dependencies';

/** The internal API for search, which ranks health systems without a registration last. */
export function serveRegistrations(api: Api, { config, registrations }: Dependencies): void {
  api.route(
    {
      method: 'get',
      path: '/internal/v1/registrations/patterns',
      operationId: 'registeredPatterns',
      audit: { none: 'search reads a setting, and no data of a user' },
      summary: 'The FHIR bases, hosts and domains of all registrations',
      authentication: serviceKeyAuthentication(config.SERVICE_KEYS, ['search']),
      responses: { 200: { description: 'The patterns, sorted.', schema: registeredPatterns } },
    },
    async () => {
      const all = await registrations.list();
      return { patterns: [...new Set(all.map(({ pattern }) => pattern))].sort() };
    },
  );
}
