import { clientAssertion } from '../client-keys/client-assertion';
import type { SigningKeys } from '../client-keys/signing-keys';
import type { ClientRegistration } from './registrations';

/** One exact way of showing who our client is. */
export const clientAuthentications = [
  'none',
  'client_secret_basic',
  'client_secret_basic_unencoded',
  'client_secret_post',
  'private_key_jwt_rs384',
  'private_key_jwt_es384',
] as const;
export type ClientAuthentication = (typeof clientAuthentications)[number];

export interface AuthenticationParts {
  form: Record<string, string>;
  headers: Record<string, string>;
}

/**
 * The ways to try, in order: the registered one, then what helps where a health system errs. RFC 6749 has the parts of Basic
 * percent-encoded, and some systems do not decode them; some take a secret only in the place that they do not announce; some check
 * one signing algorithm only.
 * @param remembered what worked last time goes first
 */
export function authenticationsToTry(
  client: ClientRegistration,
  algorithms: readonly string[] | undefined,
  remembered?: string,
): ClientAuthentication[] {
  const ways = authenticationMethods(client, algorithms);
  const known = ways.find((way) => way === remembered);
  return known ? [known, ...ways.filter((way) => way !== known)] : ways;
}

function authenticationMethods(
  client: ClientRegistration,
  algorithms: readonly string[] | undefined,
): ClientAuthentication[] {
  const encodingMatters =
    encode(client.clientId) !== client.clientId || encode(client.clientSecret ?? '') !== client.clientSecret;
  const basic: ClientAuthentication[] = encodingMatters
    ? ['client_secret_basic', 'client_secret_basic_unencoded']
    : ['client_secret_basic'];
  switch (client.authMethod) {
    case 'none':
      return ['none'];
    case 'client_secret_basic':
      return [...basic, 'client_secret_post'];
    case 'client_secret_post':
      return ['client_secret_post', ...basic];
    case 'private_key_jwt':
      return algorithms?.includes('ES384') && !algorithms.includes('RS384')
        ? ['private_key_jwt_es384', 'private_key_jwt_rs384']
        : ['private_key_jwt_rs384', 'private_key_jwt_es384'];
  }
}

/** What a way adds to a token request. */
export async function authenticate(
  way: ClientAuthentication,
  client: ClientRegistration,
  tokenEndpoint: string,
  keys: SigningKeys,
): Promise<AuthenticationParts> {
  const { clientId, clientSecret = '' } = client;
  switch (way) {
    case 'none':
      return { form: { client_id: clientId }, headers: {} };
    case 'client_secret_basic':
      return { form: {}, headers: basic(encode(clientId), encode(clientSecret)) };
    case 'client_secret_basic_unencoded':
      return { form: {}, headers: basic(clientId, clientSecret) };
    case 'client_secret_post':
      return { form: { client_id: clientId, client_secret: clientSecret }, headers: {} };
    case 'private_key_jwt_rs384':
    case 'private_key_jwt_es384': {
      const assertion = await clientAssertion(
        keys,
        way === 'private_key_jwt_rs384' ? 'RS384' : 'ES384',
        clientId,
        tokenEndpoint,
      );
      return {
        form: {
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: assertion,
        },
        headers: {},
      };
    }
  }
}

function basic(name: string, password: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
}

/** As in a form (RFC 6749, section 2.3.1 and appendix B). */
function encode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}
