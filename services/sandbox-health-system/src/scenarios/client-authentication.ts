import type { AuthenticationMethod } from '../clients/registered-clients';
import { oauthError } from './hooks';
import { scenariosOf, type Hook } from './scenario';

const basicOnly = { methods: ['none', 'client_secret_basic'] as AuthenticationMethod[] };
const postOnly = { methods: ['none', 'client_secret_post'] as AuthenticationMethod[] };

function declaring(method: AuthenticationMethod): Hook<'smartConfiguration'> {
  return (document) => ({ ...document, token_endpoint_auth_methods_supported: [method] });
}

function refusing(method: AuthenticationMethod, status: number, error: string): Hook<'clientAuthentication'> {
  return (exchange) => (exchange.method === method ? oauthError(status, error) : undefined);
}

function requiringClientId(method: AuthenticationMethod): Hook<'clientAuthentication'> {
  return (exchange) =>
    exchange.method === method && !exchange.form.has('client_id') ? oauthError(400, 'invalid_request') : undefined;
}

export const clientAuthentication = scenariosOf('Client authentication', {
  'announces-basic-wants-post': {
    description: 'Declares client_secret_basic and accepts client_secret_post only.',
    tokens: postOnly,
    smartConfiguration: declaring('client_secret_basic'),
  },
  'announces-post-wants-basic': {
    description: 'Declares client_secret_post and accepts client_secret_basic only.',
    tokens: basicOnly,
    smartConfiguration: declaring('client_secret_post'),
  },
  'omits-auth-methods': {
    description: 'Declares no authentication methods, and accepts client_secret_post only.',
    tokens: postOnly,
    smartConfiguration: ({ token_endpoint_auth_methods_supported: _omitted, ...document }) => document,
  },
  'basic-and-client-id': {
    description: 'Requires client_id in the form beside Basic credentials, and accepts no other method.',
    tokens: basicOnly,
    clientAuthentication: requiringClientId('client_secret_basic'),
  },
  'assertion-and-client-id': {
    description: 'Requires client_id in the form beside a client assertion.',
    clientAuthentication: requiringClientId('private_key_jwt'),
  },
  'post-only': {
    description: 'Answers 400 and invalid_request to Basic credentials.',
    clientAuthentication: refusing('client_secret_basic', 400, 'invalid_request'),
  },
  'basic-401-invalid-request': {
    description: 'Answers 401 and invalid_request to Basic credentials.',
    clientAuthentication: refusing('client_secret_basic', 401, 'invalid_request'),
  },
  'unauthorized-client-basic': {
    description: 'Answers 400 and unauthorized_client to Basic credentials.',
    clientAuthentication: refusing('client_secret_basic', 400, 'unauthorized_client'),
  },
  'basic-undecoded': {
    description:
      'Does not percent-decode Basic credentials, and accepts no other method (use the client tributary-odd).',
    tokens: { ...basicOnly, rawBasicCredentials: true },
  },
});
