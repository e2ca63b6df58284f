import type { RegisteredClient } from '../clients/registered-clients';
import { isRelease, type Release } from '../releases';
import { grantableScopes } from './scopes';

/** A valid authorization request. */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  state?: string;
  nonce?: string;
  challenge: string;
  scopes: string[];
  base: string;
  release: Release;
  scenarios: string[];
}

/**
 * The client or the redirect_uri is not registered: the error must not be sent by a redirect (RFC 6749, section
 * 4.1.2.1).
 */
export class UntrustedRequest extends Error {}

/** An error that is sent to the client through its redirect_uri. */
export class AuthorizationRefusal extends Error {
  constructor(
    readonly redirectUri: string,
    readonly state: string | undefined,
    readonly code: string,
    description: string,
  ) {
    super(description);
  }
}

/** The registered client and redirect_uri of a request. */
export function trustedClient(
  parameters: URLSearchParams,
  clients: Map<string, RegisteredClient>,
): { client: RegisteredClient; redirectUri: string } {
  const client = clients.get(parameters.get('client_id') ?? '');
  if (!client) throw new UntrustedRequest('This application (client_id) is not registered here.');
  const redirectUri =
    parameters.get('redirect_uri') ?? (client.redirect_uris.length === 1 ? client.redirect_uris[0]! : '');
  if (!client.redirect_uris.includes(redirectUri))
    throw new UntrustedRequest('The redirect_uri is not one that the application has registered.');
  return { client, redirectUri };
}

/** Validates the other parameters of a request. @param origins the public origins of the sandbox */
export function authorizationRequest(
  parameters: URLSearchParams,
  redirectUri: string,
  origins: string[],
): AuthorizationRequest {
  const state = parameters.get('state') ?? undefined;
  const refuse = (code: string, description: string): never => {
    throw new AuthorizationRefusal(redirectUri, state, code, description);
  };
  if (parameters.get('response_type') !== 'code') refuse('unsupported_response_type', 'response_type has to be code');
  const challenge = parameters.get('code_challenge') ?? '';
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge))
    refuse('invalid_request', 'code_challenge (PKCE) is missing or malformed');
  if (parameters.get('code_challenge_method') !== 'S256')
    refuse('invalid_request', 'code_challenge_method has to be S256');
  const audience = fhirBase(parameters.get('aud') ?? parameters.get('audience') ?? '', origins);
  if (!audience) return refuse('invalid_request', 'aud has to be a FHIR base of this server');
  const scopes = grantableScopes(parameters.get('scope') ?? '');
  if (scopes.length === 0) refuse('invalid_scope', 'none of the asked scopes is known');
  const nonce = parameters.get('nonce');
  return {
    clientId: parameters.get('client_id')!,
    redirectUri,
    challenge,
    scopes,
    ...audience,
    ...(state === undefined ? {} : { state }),
    ...(nonce === null ? {} : { nonce }),
  };
}

/** Parses a FHIR base of this server: `{origin}[/s/{scenarios}]/fhir/{release}`. */
function fhirBase(
  address: string,
  origins: string[],
): { base: string; release: Release; scenarios: string[] } | undefined {
  const base = address.replace(/\/$/, '');
  const origin = origins.find((candidate) => base.startsWith(`${candidate}/`));
  const match = origin && /^(?:\/s\/([a-z0-9+-]+))?\/fhir\/(\w+)$/.exec(base.slice(origin.length));
  if (!match || !isRelease(match[2]!)) return undefined;
  return { base, release: match[2], scenarios: match[1]?.split('+') ?? [] };
}

/** The redirect_uri with response parameters in its query. */
export function redirectTo(redirectUri: string, answer: Record<string, string | undefined>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
