import type { Scenario } from '../scenario';

export const trailingSlash: Scenario = {
  name: 'trailing-slash',
  area: 'Connecting',
  does: 'Has an authorization endpoint that ends with a slash, and answers 404 without it.',
  endpoints: (endpoints) => ({ ...endpoints, authorize: `${endpoints.authorize}/` }),
  authorizationRequest: (path) =>
    path.endsWith('/') ? undefined : { status: 404, headers: { 'Content-Type': 'text/plain' }, body: 'not found' },
};
