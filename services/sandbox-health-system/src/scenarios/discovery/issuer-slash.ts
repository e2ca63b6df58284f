import type { Scenario } from '../scenario';

export const issuerSlash: Scenario = {
  name: 'issuer-slash',
  area: 'Connecting',
  does: 'Names its issuer (iss, RFC 9207) in the response with a slash at the end that the smart-configuration lacks.',
  authorizationResponse: (response, issuer) => ({ ...response, iss: `${issuer}/` }),
};
