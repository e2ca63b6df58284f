import { jwtBearerAssertionType } from '@tributary/contracts';
import { type SigningKeys, signClientAssertion } from '../client-keys/signing-keys';
import type { OutboundHttp, OutboundResponse } from '../outbound/outbound-http';
import type { ClientRegistration } from './registrations';

/** The methods of client authentication, with the variants that health systems differ in. */
export type ClientAuthenticationMethod =
  | 'none'
  | 'client_secret_basic'
  | 'client_secret_basic_unencoded'
  | 'client_secret_post'
  | 'private_key_jwt_rs384'
  | 'private_key_jwt_es384';

/** What a health system announces about client authentication, and what it accepted last. */
export interface AuthenticationHints {
  /** `token_endpoint_auth_methods_supported` (RFC 8414, section 2). */
  authMethods?: readonly string[] | undefined;
  /** `token_endpoint_auth_signing_alg_values_supported` (RFC 8414, section 2). */
  signingAlgorithms?: readonly string[] | undefined;
  /** The method of client authentication that the token endpoint accepted last. */
  lastAcceptedMethod?: string | undefined;
}

/**
 * The methods to try, in order: the one that was accepted last, those that the health system announces, the registered
 * one, then those that work around common deviations. RFC 6749 requires percent-encoding in Basic credentials, which
 * some systems do not decode; some accept a secret only where they do not announce it; some verify only one signing
 * algorithm.
 */
export function methodsToTry(
  registration: ClientRegistration,
  { authMethods, signingAlgorithms, lastAcceptedMethod }: AuthenticationHints,
): ClientAuthenticationMethod[] {
  const rank = (method: ClientAuthenticationMethod): number => {
    if (method === lastAcceptedMethod) return 0;
    return authMethods?.some((announced) => method.startsWith(announced)) ? 1 : 2;
  };
  // The sort is stable: methods of the same rank keep their order.
  return authenticationMethods(registration, signingAlgorithms).sort((one, other) => rank(one) - rank(other));
}

function authenticationMethods(
  { clientId, clientSecret, authMethod }: ClientRegistration,
  algorithms: readonly string[] | undefined,
): ClientAuthenticationMethod[] {
  const encodingMatters = formEncode(clientId) !== clientId || formEncode(clientSecret ?? '') !== clientSecret;
  const basicMethods: ClientAuthenticationMethod[] = encodingMatters
    ? ['client_secret_basic', 'client_secret_basic_unencoded']
    : ['client_secret_basic'];
  switch (authMethod) {
    case 'none':
      return ['none'];
    case 'client_secret_basic':
      return [...basicMethods, 'client_secret_post'];
    case 'client_secret_post':
      return ['client_secret_post', ...basicMethods];
    case 'private_key_jwt':
      return algorithms?.includes('ES384') && !algorithms.includes('RS384')
        ? ['private_key_jwt_es384', 'private_key_jwt_rs384']
        : ['private_key_jwt_rs384', 'private_key_jwt_es384'];
  }
}

/** How our client authenticates in a request. */
export interface AuthenticatedClient {
  method: ClientAuthenticationMethod;
  registration: ClientRegistration;
  /** The audience of a client assertion. */
  tokenEndpoint: string;
}

/** Posts a form with the credentials of our client. @throws OutboundRequestFailed */
export async function postAsClient(
  { http, signingKeys }: { http: OutboundHttp; signingKeys: SigningKeys },
  client: AuthenticatedClient,
  url: string,
  form: Record<string, string>,
): Promise<OutboundResponse> {
  const { form: credentials, headers = {} } = await credentialsOf(client, signingKeys);
  return http.postForm(url, { ...form, ...credentials }, headers);
}

/**
 * The credentials of our client by one method (RFC 6749, section 2.3; RFC 7523 for `private_key_jwt`). The `client_id`
 * is always in the form: some systems require it beside Basic credentials or an assertion, and RFC 6749, section 3.2.1,
 * allows it.
 */
async function credentialsOf(
  { method, registration: { clientId, clientSecret = '' }, tokenEndpoint }: AuthenticatedClient,
  signingKeys: SigningKeys,
): Promise<{ form: Record<string, string>; headers?: Record<string, string> }> {
  switch (method) {
    case 'none':
      return { form: { client_id: clientId } };
    case 'client_secret_basic':
      return { form: { client_id: clientId }, headers: basicHeader(formEncode(clientId), formEncode(clientSecret)) };
    case 'client_secret_basic_unencoded':
      return { form: { client_id: clientId }, headers: basicHeader(clientId, clientSecret) };
    case 'client_secret_post':
      return { form: { client_id: clientId, client_secret: clientSecret } };
    case 'private_key_jwt_rs384':
    case 'private_key_jwt_es384': {
      const algorithm = method === 'private_key_jwt_rs384' ? 'RS384' : 'ES384';
      return {
        form: {
          client_id: clientId,
          client_assertion_type: jwtBearerAssertionType,
          client_assertion: await signClientAssertion(signingKeys, algorithm, clientId, tokenEndpoint),
        },
      };
    }
  }
}

function basicHeader(name: string, password: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
}

/** `application/x-www-form-urlencoded` (RFC 6749, section 2.3.1 and appendix B). */
function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
