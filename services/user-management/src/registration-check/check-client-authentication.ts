import { randomBytes } from 'node:crypto';
import { OutboundRequestFailed } from '@tributary/outbound';
import { type AuthorizationServer, errorCodeOf, parseJson } from '../health-systems/authorization-server';
import {
  type ClientAuthenticationMethod,
  authenticateClient,
  methodsToTry,
} from '../health-systems/client-authentication';
import type { ClientRegistration } from '../health-systems/registrations';
import { isAboutTheClient, isClientError } from '../health-systems/token-client';
import { type RegistrationCheckDependencies, type CheckStep, failedRequest } from './check-step';

/**
 * Authenticates our client at the token endpoint by each method, in the order of connecting, up to the first that is
 * accepted. The authorization code is made up: a server authenticates the client before it looks at the code (RFC 6749,
 * section 4.1.3), so `invalid_grant` says that the client was accepted.
 */
export async function* checkClientAuthentication(
  { http, signingKeys }: RegistrationCheckDependencies,
  registration: ClientRegistration,
  server: AuthorizationServer,
): AsyncGenerator<CheckStep> {
  const { tokenEndpoint } = server;
  let isFirst = true;
  for (const method of methodsToTry(registration, server)) {
    const step = `client authentication by ${method}`;
    try {
      const credentials = await authenticateClient(method, registration, tokenEndpoint, signingKeys);
      const form = {
        grant_type: 'authorization_code',
        code: randomBytes(24).toString('base64url'),
        redirect_uri: registration.redirectUri,
        code_verifier: randomBytes(32).toString('base64url'),
        ...credentials.form,
      };
      const { status, text } = await http.postForm(tokenEndpoint, form, credentials.headers);
      const judged = judge({ status, error: errorCodeOf(parseJson(text)) }, registration, method, isFirst);
      yield { step, ...judged.step };
      if (judged.isFinal) return;
    } catch (error) {
      if (!(error instanceof OutboundRequestFailed)) throw error;
      yield failedRequest(step, error.reason);
      return;
    }
    isFirst = false;
  }
  yield {
    step: 'client authentication',
    result: 'failed',
    message: 'the health system accepts none of the methods',
    advice:
      'compare client_id, secret or JWK Set URL with the registration at the health system, and use `registration set`',
  };
}

interface Judged {
  step: Omit<CheckStep, 'step'>;
  /** Whether connecting would not try another method either. */
  isFinal: boolean;
}

function judge(
  { status, error }: { status: number; error: string | undefined },
  { authMethod }: ClientRegistration,
  method: ClientAuthenticationMethod,
  isFirst: boolean,
): Judged {
  const response = `the response is ${status} ${error ?? 'without an error code'}`;
  if (error === 'invalid_grant') {
    if (method === 'none')
      return accepted(`${response}: the token endpoint works; a public client has nothing to prove`);
    return isFirst || method.startsWith(authMethod)
      ? accepted(`${response}: the client is accepted, and the made-up code is refused`)
      : {
          isFinal: true,
          step: {
            result: 'warning',
            message: `${response}: the client is accepted by this method, and not by the registered one`,
            advice: `it works as it is; --auth-method ${registrableOf(method)} saves requests`,
          },
        };
  }
  if (status === 401 || isClientError({ status, error }))
    return { isFinal: false, step: { result: 'warning', message: `${response}: the client is refused` } };
  if (isAboutTheClient({ status, error }))
    return {
      isFinal: false,
      step: { result: 'warning', message: `${response}: that can be about the client or about the made-up code` },
    };
  return {
    isFinal: true,
    step:
      status >= 500
        ? { result: 'failed', message: response, advice: 'the token endpoint fails: try again later' }
        : { result: 'warning', message: `${response}: that says nothing about the client`, advice: 'try with a user' },
  };
}

function accepted(message: string): Judged {
  return { isFinal: true, step: { result: 'ok', message } };
}

function registrableOf(method: ClientAuthenticationMethod): string {
  return method.replace(/_(unencoded|rs384|es384)$/, '');
}
