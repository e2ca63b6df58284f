import type { Scenario } from '../scenario';

export const endpointParameters: Scenario = {
  name: 'endpoint-parameters',
  area: 'Connecting',
  does: 'Has an authorization endpoint with a query of its own, which has to be kept.',
  endpoints: (endpoints) => ({ ...endpoints, authorize: `${endpoints.authorize}?tenant=sandbox` }),
};
