import type { Scenario } from '../scenario';

const json = { 'Content-Type': 'application/json' };
const refusal = ({ state = '' }: Record<string, string>, more: Record<string, string>): Record<string, string> => ({
  ...more,
  state,
});

export const deniedWithErrorUri: Scenario = {
  name: 'denied-with-error-uri',
  area: 'Connecting',
  does: 'Reports denied access as a general error, which only its error_uri explains.',
  authorizationResponse: (response, issuer) =>
    refusal(response, { error: 'invalid_request', error_uri: `${issuer}/errors/oauth2:grant:access-denied` }),
};

export const clientUnauthorized: Scenario = {
  name: 'client-unauthorized',
  area: 'Connecting',
  does: 'Refuses the client after the sign-in (unauthorized_client).',
  authorizationResponse: (response) => refusal(response, { error: 'unauthorized_client' }),
};

export const authorizationUnavailable: Scenario = {
  name: 'authorization-unavailable',
  area: 'Connecting',
  does: 'Ends every sign-in with temporarily_unavailable.',
  authorizationResponse: (response) => refusal(response, { error: 'temporarily_unavailable' }),
};

export const authorizationHtml: Scenario = {
  name: 'authorization-html',
  area: 'Connecting',
  does: 'Shows an error page of its own instead of the sign-in, and never sends the user back.',
  authorizationRequest: () => ({
    status: 400,
    headers: { 'Content-Type': 'text/html' },
    body: '<!doctype html><html lang="en"><title>Error</title><p>Something went wrong trying to authorize the client.</p></html>',
  }),
};

export const codeExpired: Scenario = {
  name: 'code-expired',
  area: 'Connecting',
  does: 'Responds to every authorization code with invalid_grant.',
  tokenRequest: ({ grantType }) =>
    grantType === 'authorization_code' ? { status: 400, headers: json, body: '{"error":"invalid_grant"}' } : undefined,
};

export const tokenUnavailable: Scenario = {
  name: 'token-unavailable',
  area: 'Connecting',
  does: 'Responds to every authorization code with 500.',
  tokenRequest: ({ grantType }) =>
    grantType === 'authorization_code' ? { status: 500, headers: json, body: '{}' } : undefined,
};

export const patientUnnamed: Scenario = {
  name: 'patient-unnamed',
  area: 'Connecting',
  does: 'Issues tokens without a patient.',
  tokens: { user: 'nobody' },
};

export const userPractitioner: Scenario = {
  name: 'user-practitioner',
  area: 'Connecting',
  does: 'Signs in a practitioner: the fhirUser is no Patient, and the token has no patient.',
  tokens: { user: 'Practitioner' },
};

export const userRelatedPerson: Scenario = {
  name: 'user-related-person',
  area: 'Connecting',
  does: 'Signs in a relative (proxy) of the patient: the fhirUser is a RelatedPerson, and the token has no patient.',
  tokens: { user: 'RelatedPerson' },
};
