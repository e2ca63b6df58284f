import { html } from './hooks';
import { scenariosOf } from './scenario';

export const authorizationErrors = scenariosOf('Authorization errors', {
  'denied-with-error-uri': {
    description: 'Reports denied access as a general error, which only its error_uri explains.',
    authorizationResponse: ({ state = '' }, issuer) => ({
      error: 'invalid_request',
      error_uri: `${issuer}/errors/oauth2:grant:access-denied`,
      state,
    }),
  },
  'client-unauthorized': {
    description: 'Refuses the client after the sign-in (unauthorized_client).',
    authorizationResponse: ({ state = '' }) => ({ error: 'unauthorized_client', state }),
  },
  'authorization-unavailable': {
    description: 'Ends every sign-in with temporarily_unavailable.',
    authorizationResponse: ({ state = '' }) => ({ error: 'temporarily_unavailable', state }),
  },
  'authorization-html': {
    description: 'Shows an error page of its own instead of the sign-in, and never sends the user back.',
    authorizationRequest: () =>
      html(
        400,
        '<!doctype html><html lang="en"><title>Error</title><p>Something went wrong trying to authorize the client.</p></html>',
      ),
  },
});
