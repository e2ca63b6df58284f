import type { Scenario } from '../scenario';

export const endpointParameters: Scenario = {
  name: 'endpoint-parameters',
  area: 'Connecting',
  does: 'Has an authorization endpoint with a query, which clients must keep.',
  endpoints: (endpoints) => ({ ...endpoints, authorize: `${endpoints.authorize}?tenant=sandbox` }),
};
