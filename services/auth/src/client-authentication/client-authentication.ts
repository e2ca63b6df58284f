import { jwtBearerAssertionType } from '@tributary/contracts';
import {
  type Authentication,
  type CredentialGuard,
  HttpError,
  type RouteLimit,
  badRequest,
} from '@tributary/service-kit';
import type { Request } from 'express';
import type { ClientApplications } from '../clients/client-applications';
import { type ClientAssertions, InvalidAssertion, claimedClientId } from './client-assertions';
import { notText } from './parameters';

/** The client application that sent a request. */
export interface AuthenticatedClient {
  clientId: string;
  authenticatedBy: 'secret' | 'assertion';
  /** Who acts for the client by a temporary secret. */
  developer?: string;
}

/** What the endpoints for clients have in common. */
export interface ClientEndpoint {
  authentication: Authentication<AuthenticatedClient>;
  limits: readonly RouteLimit[];
}

interface Credentials {
  clientId: string;
  clientSecret: string;
  /** Whether they were sent in the Authorization header. */
  inHeader: boolean;
}

/**
 * Sent only to clients that used HTTP Basic: for others the reason is in the body, which some clients drop on a
 * challenge.
 */
const basicChallenge = { 'WWW-Authenticate': 'Basic realm="tributary"' };
const waysToAuthenticate =
  'HTTP Basic, client_id and client_secret in the body, or a client_assertion (private_key_jwt)';

/**
 * Authenticates clients by HTTP Basic, by `client_id` and `client_secret` in the body, or by a signed
 * `client_assertion`. Attempts after too many failures are refused.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2 for the challenge
 * @see https://www.rfc-editor.org/rfc/rfc7523#section-2.2
 */
export function clientAuthentication(
  clients: ClientApplications,
  assertions: ClientAssertions,
  guard: CredentialGuard,
): Authentication<AuthenticatedClient> {
  return {
    scheme: 'oauth-client',
    readsBody: true,
    authenticate: async (request) => {
      const sent = sentAssertion(request);
      if (sent) return verifyAssertion(request, sent, assertions, guard);
      const { clientId, clientSecret, inHeader } = sentCredentials(request);
      const wrongCredentials = (): HttpError =>
        invalidClient('client_id or client_secret is wrong', inHeader ? basicChallenge : {});
      const client = await guard.attempt(request, clientId, async () => {
        const found = await clients.authenticate(clientId, clientSecret);
        // Its credentials are right: the attempt does not count as failed.
        if (found === 'disabled') throw wrongCredentials();
        return found;
      });
      if (!client) throw wrongCredentials();
      const { client_id, developer } = client;
      return { clientId: client_id, authenticatedBy: 'secret', ...(developer === undefined ? {} : { developer }) };
    },
  };
}

interface SentAssertion {
  assertion: string;
  /** The optional `client_id` beside it, which must be the subject of the assertion (RFC 7521, section 4.2). */
  clientId: string | undefined;
}

async function verifyAssertion(
  request: Request,
  { assertion, clientId: sentClientId }: SentAssertion,
  assertions: ClientAssertions,
  guard: CredentialGuard,
): Promise<AuthenticatedClient> {
  let reason = '';
  const client = await guard.attempt(request, claimedClientId(assertion), async () => {
    try {
      const clientId = await assertions.verify(assertion, sentClientId);
      return { clientId, authenticatedBy: 'assertion' as const };
    } catch (error) {
      if (!(error instanceof InvalidAssertion)) throw error;
      if (!error.isVerified) throw invalidAssertion(error.message);
      reason = error.message;
      return undefined;
    }
  });
  if (!client) throw invalidAssertion(reason);
  return client;
}

function invalidAssertion(reason: string): HttpError {
  return invalidClient(`client_assertion: ${reason}`);
}

function sentAssertion(request: Request): SentAssertion | undefined {
  const body = bodyOf(request);
  const [type, assertion] = [textOf(body, 'client_assertion_type'), textOf(body, 'client_assertion')];
  if (type === undefined && assertion === undefined) return undefined;
  if (type !== jwtBearerAssertionType) throw badRequest(`client_assertion_type: must be ${jwtBearerAssertionType}`);
  if (assertion === undefined) throw badRequest('client_assertion is missing');
  if (request.headers.authorization !== undefined || textOf(body, 'client_secret') !== undefined)
    throw badRequest('client_assertion: send it or the client_secret, not both');
  return { assertion, clientId: textOf(body, 'client_id') };
}

function sentCredentials(request: Request): Credentials {
  const body = bodyOf(request);
  const inBody = { clientId: textOf(body, 'client_id'), clientSecret: textOf(body, 'client_secret') };
  if (request.headers.authorization !== undefined) {
    const inHeader = basicCredentials(request.headers.authorization);
    if (inBody.clientSecret !== undefined)
      throw badRequest('client_secret: send it in the Authorization header or in the body, not in both');
    if (inBody.clientId !== undefined && inBody.clientId !== inHeader.clientId)
      throw badRequest('client_id: not the same in the Authorization header and in the body');
    return inHeader;
  }
  if (inBody.clientId === undefined && inBody.clientSecret === undefined)
    throw invalidClient(`client credentials are missing: send ${waysToAuthenticate}`);
  if (inBody.clientId === undefined) throw invalidClient('client_id is missing');
  if (inBody.clientSecret === undefined) throw invalidClient('client_secret is missing');
  return { clientId: inBody.clientId, clientSecret: inBody.clientSecret, inHeader: false };
}

function bodyOf(request: Request): Record<string, unknown> {
  const body: unknown = request.body;
  if (body === undefined && request.headers['content-type'] === undefined) return {};
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('send the parameters as application/x-www-form-urlencoded or as a JSON object');
  return body as Record<string, unknown>;
}

/** A parameter without a value counts as not sent; none may be repeated (RFC 6749, section 3.2). */
function textOf(body: Record<string, unknown>, name: string): string | undefined {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw badRequest(`${name} ${notText(value)}`);
  return value;
}

/** Client id and secret are form-encoded before they are joined (RFC 6749, section 2.3.1). */
function basicCredentials(header: string): Credentials {
  if (!/^Basic(?: |$)/i.test(header))
    throw invalidClient(`Authorization: the scheme is not supported; send ${waysToAuthenticate}`);
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(header) ?? [];
  if (encoded === undefined)
    throw invalidClient('Authorization: Basic must be followed by client_id:client_secret in base64', basicChallenge);
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) throw invalidClient('client_secret is missing', basicChallenge);
  const [clientId, clientSecret] = [text.slice(0, colon), text.slice(colon + 1)];
  if (clientId === '') throw invalidClient('client_id is missing', basicChallenge);
  if (clientSecret === '') throw invalidClient('client_secret is missing', basicChallenge);
  return { clientId: formDecoded(clientId), clientSecret: formDecoded(clientSecret), inHeader: true };
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidClient('Authorization: client_id and client_secret must be form-encoded', basicChallenge);
  }
}

function invalidClient(message: string, headers: Record<string, string> = {}): HttpError {
  return new HttpError('invalid_client', message, headers);
}
