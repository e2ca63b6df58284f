import { createHash, timingSafeEqual } from 'node:crypto';
import { verifyClientAssertion } from './client-assertion';
import { InvalidClient } from './invalid-client';
import { authenticationMethods, type AuthenticationMethod, type RegisteredClient } from './registered-clients';

interface ClientRequest {
  authorization: string | undefined;
  form: URLSearchParams;
  /** The accepted audiences of a client assertion. */
  tokenEndpoints: string[];
  now: number;
  /** Does not percent-decode Basic credentials. */
  rawBasic: boolean;
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Authenticates the client of a token request by the method that the request uses. @throws InvalidClient */
export async function authenticateClient(
  clients: Map<string, RegisteredClient>,
  request: ClientRequest,
): Promise<{ client: RegisteredClient; method: AuthenticationMethod }> {
  const { form } = request;
  if (form.has('client_assertion')) {
    if (form.get('client_assertion_type') !== assertionType)
      throw new InvalidClient('client_assertion_type is not the one of JWTs');
    const client = await verifyClientAssertion(
      clients,
      form.get('client_assertion')!,
      request.tokenEndpoints,
      request.now,
    );
    return allowed(client, 'private_key_jwt');
  }
  if (request.authorization?.startsWith('Basic ')) {
    const [id, secret] = basicCredentials(request.authorization, request.rawBasic ? (text) => text : formDecoded);
    return allowed(withSecret(clients.get(id), secret), 'client_secret_basic');
  }
  const client = clients.get(form.get('client_id') ?? '');
  if (form.has('client_secret')) return allowed(withSecret(client, form.get('client_secret')!), 'client_secret_post');
  if (!client) throw new InvalidClient('the client is not known');
  return allowed(client, 'none');
}

/** The id and secret of a Basic header, percent-encoded by RFC 6749, section 2.3.1. */
function basicCredentials(authorization: string, decoded: (text: string) => string): [string, string] {
  const text = Buffer.from(authorization.slice('Basic '.length), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) throw new InvalidClient('the Authorization header is malformed');
  try {
    return [decoded(text.slice(0, colon)), decoded(text.slice(colon + 1))];
  } catch {
    throw new InvalidClient('the Authorization header is not percent-encoded rightly');
  }
}

function formDecoded(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function withSecret(client: RegisteredClient | undefined, secret: string): RegisteredClient {
  if (!client?.client_secret || !timingSafeEqual(digest(client.client_secret), digest(secret)))
    throw new InvalidClient('the client or its secret is wrong');
  return client;
}

function allowed(
  client: RegisteredClient,
  method: AuthenticationMethod,
): { client: RegisteredClient; method: AuthenticationMethod } {
  if (!authenticationMethods(client).includes(method))
    throw new InvalidClient(`this client does not authenticate by ${method}`);
  return { client, method };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
