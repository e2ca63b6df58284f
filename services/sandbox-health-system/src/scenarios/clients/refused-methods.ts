import type { AuthenticationMethod } from '../../clients/registered-clients';
import type { Reply, Scenario } from '../scenario';

/** A scenario that refuses clients of one authentication method, or only those without client_id in the form. */
function refusing(
  name: string,
  does: string,
  {
    method,
    status,
    error,
    unlessNamed = false,
  }: { method: AuthenticationMethod; status: number; error: string; unlessNamed?: boolean },
): Scenario {
  const refusal: Reply = { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ error }) };
  return {
    name,
    area: 'Connecting',
    does,
    clientAuthentication: (exchange) =>
      exchange.method === method && !(unlessNamed && exchange.form.has('client_id')) ? refusal : undefined,
  };
}

export const basicAndClientId: Scenario = {
  ...refusing(
    'basic-and-client-id',
    'Requires client_id in the form beside Basic credentials, and accepts no other method.',
    {
      method: 'client_secret_basic',
      status: 400,
      error: 'invalid_request',
      unlessNamed: true,
    },
  ),
  tokens: { methods: ['none', 'client_secret_basic'] },
};

export const assertionAndClientId = refusing(
  'assertion-and-client-id',
  'Requires client_id in the form beside a client assertion.',
  { method: 'private_key_jwt', status: 400, error: 'invalid_request', unlessNamed: true },
);

export const postOnly = refusing('post-only', 'Answers 400 and invalid_request to Basic credentials.', {
  method: 'client_secret_basic',
  status: 400,
  error: 'invalid_request',
});

export const basic401InvalidRequest = refusing(
  'basic-401-invalid-request',
  'Answers 401 and invalid_request to Basic credentials.',
  { method: 'client_secret_basic', status: 401, error: 'invalid_request' },
);

export const unauthorizedClientBasic = refusing(
  'unauthorized-client-basic',
  'Answers 400 and unauthorized_client to Basic credentials.',
  { method: 'client_secret_basic', status: 400, error: 'unauthorized_client' },
);
