import { type ServiceState, serviceState } from '@tributary/contracts';
import { type Api, softwareVersion } from '@tributary/service-kit';
import { z } from 'zod';
import { serviceName } from '../../config';
import type { Dependencies } from '../dependencies';
import { commonOf, noOperator, operatorPath } from './operator-common';

const serviceList = z.object({ entry: z.array(serviceState) }).meta({ id: 'ServiceList' });

/** Whether the services of the suite are ready. */
export function serveOperatedServices(api: Api, dependencies: Dependencies): void {
  const { services } = dependencies.operator;

  const stateOf = async (service: string, requestId: string): Promise<ServiceState> => {
    try {
      const found = await services[service]!.read({ requestId });
      return { service, ...found };
    } catch {
      return { service, status: 'unreachable', missing: [] };
    }
  };

  api.route(
    {
      ...commonOf(dependencies).reads,
      path: operatorPath('services'),
      operationId: 'operatorListServices',
      summary: 'The readiness and the version of each service; of several replicas, of the one that answers',
      responses: { 200: { description: 'All services.', schema: serviceList }, 404: noOperator },
    },
    async ({ requestId }) => ({
      entry: [
        ...(await Promise.all(Object.keys(services).map((service) => stateOf(service, requestId)))),
        { service: serviceName, status: 'ready', version: softwareVersion, missing: [] } satisfies ServiceState,
      ],
    }),
  );
}
