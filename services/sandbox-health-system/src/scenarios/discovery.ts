import { FhirProblem } from '../fhir/operation-outcome';
import { plainText } from './hooks';
import { scenariosOf, type OauthEndpoints } from './scenario';

export const discovery = scenariosOf('Discovery', {
  'metadata-only': {
    description: 'Has no smart-configuration: its OAuth endpoints are in /metadata only.',
    smartConfiguration: () => undefined,
  },
  'metadata-unauthorized': {
    description: 'Answers 401 to requests for its CapabilityStatement.',
    capabilities: () => {
      throw new FhirProblem(401, 'login', 'the capabilities are not public');
    },
  },
  'metadata-broken': {
    description: 'Answers 500 to requests for its CapabilityStatement, every time.',
    capabilities: () => {
      throw new FhirProblem(500, 'exception', 'the capabilities cannot be shown');
    },
  },
  'well-known-only': {
    description: 'Has its OAuth endpoints in the smart-configuration only, also in DSTU2.',
    smartConfigurationInDstu2: true,
    capabilities: (document) => ({
      ...document,
      rest: document.rest.map(({ security: _hidden, ...rest }) => rest),
    }),
  },
  'issuer-slash': {
    description:
      'Names its issuer (iss, RFC 9207) in the response with a slash at the end that the smart-configuration lacks.',
    authorizationResponse: (response, issuer) => ({ ...response, iss: `${issuer}/` }),
  },
  'oauth-other-origin': {
    description: 'Has its OAuth endpoints on another host than its FHIR API.',
    endpoints: (endpoints, otherOrigin) =>
      Object.fromEntries(
        Object.entries(endpoints).map(([name, url]) => [name, `${otherOrigin}${new URL(url as string).pathname}`]),
      ) as unknown as OauthEndpoints,
  },
  'trailing-slash': {
    description: 'Has an authorization endpoint that ends with a slash, and answers 404 without it.',
    endpoints: (endpoints) => ({ ...endpoints, authorize: `${endpoints.authorize}/` }),
    authorizationRequest: (path) => (path.endsWith('/') ? undefined : plainText(404, 'not found')),
  },
  'endpoint-parameters': {
    description: 'Has an authorization endpoint with a query, which clients must keep.',
    endpoints: (endpoints) => ({ ...endpoints, authorize: `${endpoints.authorize}?tenant=sandbox` }),
  },
});
