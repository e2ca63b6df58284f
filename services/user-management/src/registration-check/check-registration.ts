import { createHash } from 'node:crypto';
import {
  type HealthSystemEndpoint,
  fhirJsonMediaType,
  parseResourceScope,
  withoutFinalSlash,
} from '@tributary/contracts';
import { OutboundRequestFailed } from '@tributary/outbound';
import { z } from 'zod';
import { appendParameters } from '../connect/redirect-urls';
import { scopesToRequest } from '../connect/scopes';
import { randomSecret } from '../connect/secrets';
import { type AuthorizationServer, errorCodeOf, parseJson } from '../health-systems/authorization-server';
import { readConformanceStatement } from '../health-systems/conformance-statement';
import { DiscoveryFailed, discover } from '../health-systems/discovery';
import type { ClientRegistration } from '../health-systems/registrations';
import { readSmartConfiguration } from '../health-systems/smart-configuration';
import type { OutboundHttp } from '../outbound/outbound-http';
import { checkClientAuthentication } from './check-client-authentication';
import { type CheckStep, type RegistrationCheckDependencies, failedRequest } from './check-step';

/**
 * Goes through the steps of connecting to an endpoint as far as that is possible without a user, and explains the
 * result of each. Sends about ten requests, stores nothing, and needs no consent.
 */
export async function* checkRegistration(
  on: RegistrationCheckDependencies,
  endpoint: HealthSystemEndpoint,
): AsyncGenerator<CheckStep> {
  const registration = await on.registrations.find(endpoint.fhir_base_url);
  yield registrationStep(registration);
  yield await smartConfigurationStep(on.http, endpoint);
  yield await metadataStep(on.http, endpoint);
  const server = await discoverOrExplain(on.http, endpoint);
  if ('step' in server) return yield server;
  yield await addressesStep(on.http, server);
  if (!registration) return;
  yield scopesStep(endpoint, registration, server);
  yield await authorizationStep(on, endpoint, registration, server);
  if (registration.authMethod === 'private_key_jwt') yield await jwksStep(on);
  yield* checkClientAuthentication(on, registration, server);
}

function registrationStep(registration: ClientRegistration | undefined): CheckStep {
  const step = 'registration';
  if (registration)
    return { step, result: 'ok', message: `client_id ${registration.clientId}, ${registration.authMethod}` };
  return {
    step,
    result: 'failed',
    message: 'no registration matches this FHIR base',
    advice: 'register a client at the health system, and record it by `registration set`',
  };
}

async function smartConfigurationStep(http: OutboundHttp, endpoint: HealthSystemEndpoint): Promise<CheckStep> {
  const step = 'smart-configuration';
  const advice = 'the endpoints are taken from /metadata if it names them; otherwise ask the health system';
  const response = await getDocument(http, endpoint, '/.well-known/smart-configuration', 'application/json');
  if ('reason' in response) return failedRequest(step, response.reason);
  if (response.status !== 200)
    return { step, result: 'warning', message: `the response has the status ${response.status}`, advice };
  const server = readSmartConfiguration(response.text);
  if (!server)
    return { step, result: 'warning', message: 'the document names no authorization and token endpoint', advice };
  const lists = [server.scopesSupported ? `${server.scopesSupported.length} scopes` : 'no scopes_supported'];
  if (server.capabilities) lists.push(`${server.capabilities.length} capabilities`);
  return { step, result: 'ok', message: `names both endpoints, ${lists.join(', ')}` };
}

const capabilityStatement = z.object({ fhirVersion: z.string().regex(/^[0-9.a-z-]{1,20}$/) });
const releaseVersions = { dstu2: /^1\.0/, stu3: /^3\.0/, r4: /^4\.0/ };

async function metadataStep(http: OutboundHttp, endpoint: HealthSystemEndpoint): Promise<CheckStep> {
  const step = 'metadata';
  const { fhirVersion } = endpoint;
  const response = await getDocument(http, endpoint, '/metadata', fhirJsonMediaType[fhirVersion]);
  if ('reason' in response) return failedRequest(step, response.reason);
  const parsed = capabilityStatement.safeParse(parseJson(response.text));
  if (response.status !== 200 || !parsed.success) {
    const message =
      response.status === 200
        ? 'the response is no CapabilityStatement'
        : `the response has the status ${response.status}`;
    return { step, result: 'warning', message, advice: 'every resource type is searched, as none is announced' };
  }
  const endpoints = readConformanceStatement(response.text) ? 'names the OAuth endpoints' : 'names no OAuth endpoints';
  const message = `FHIR ${parsed.data.fhirVersion}, ${endpoints}`;
  if (releaseVersions[fhirVersion].test(parsed.data.fhirVersion)) return { step, result: 'ok', message };
  return {
    step,
    result: 'failed',
    message,
    advice: `the endpoint does not serve ${fhirVersion}: correct the directory`,
  };
}

async function discoverOrExplain(
  http: OutboundHttp,
  endpoint: HealthSystemEndpoint,
): Promise<AuthorizationServer | CheckStep> {
  try {
    return await discover(http, endpoint);
  } catch (error) {
    if (!(error instanceof DiscoveryFailed)) throw error;
    const advice = 'without endpoints nobody can connect: check the FHIR base, or ask the health system';
    return { step: 'discovery', result: 'failed', message: error.message, advice };
  }
}

async function addressesStep(
  http: OutboundHttp,
  { authorizationEndpoint, tokenEndpoint }: AuthorizationServer,
): Promise<CheckStep> {
  const step = 'addresses';
  for (const [name, url] of Object.entries({ authorization: authorizationEndpoint, token: tokenEndpoint })) {
    try {
      await http.assertSafeUrl(url);
    } catch (error) {
      if (!(error instanceof OutboundRequestFailed)) throw error;
      const advice = 'only https and public addresses are used outside of SANDBOX_MODE';
      return { step, result: 'failed', message: `the ${name} endpoint is refused: ${error.reason}`, advice };
    }
  }
  const hosts = new Set([authorizationEndpoint, tokenEndpoint].map((url) => new URL(url).host));
  return { step, result: 'ok', message: `the endpoints are at ${[...hosts].join(' and ')}` };
}

function scopesStep(
  { fhirVersion }: HealthSystemEndpoint,
  { scopes: registered }: ClientRegistration,
  { scopesSupported: supported, capabilities }: AuthorizationServer,
): CheckStep {
  const step = 'scopes';
  const [first] = scopesToRequest({ releases: [fhirVersion], supported, capabilities, registered });
  const requested = first?.scope.split(' ') ?? [];
  const message = `requests ${first?.scope ?? 'nothing'}`;
  const missing = supported ? requested.filter((scope) => !isAnnounced(scope, supported)) : [];
  if (registered && missing.length > 0)
    return {
      step,
      result: 'warning',
      message: `${message}; not in scopes_supported: ${missing.join(' ')}`,
      advice: 'compare the scopes of the registration with those that the health system has approved',
    };
  if (!requested.includes('offline_access') && !requested.includes('online_access'))
    return {
      step,
      result: 'warning',
      message: `${message}; offline_access is not announced`,
      advice: 'without a refresh token users must connect again when their access token expires',
    };
  return { step, result: 'ok', message };
}

/** A scope for a type is announced by its own name, or by a wildcard. */
function isAnnounced(scope: string, supported: readonly string[]): boolean {
  if (supported.includes(scope)) return true;
  const wanted = parseResourceScope(scope);
  if (!wanted) return false;
  return supported.some((value) => {
    const announced = parseResourceScope(value);
    const covers = announced?.context === wanted.context && (announced.type === '*' || announced.type === wanted.type);
    return covers && (announced.read || !wanted.read) && (announced.search || !wanted.search);
  });
}

/** A server that does not know the client_id or the redirect_uri must not redirect back (RFC 6749, section 4.1.2.1). */
async function authorizationStep(
  { http }: RegistrationCheckDependencies,
  { fhirVersion, fhir_base_url }: HealthSystemEndpoint,
  { clientId, scopes: registered, redirectUri }: ClientRegistration,
  { authorizationEndpoint, scopesSupported: supported, capabilities }: AuthorizationServer,
): Promise<CheckStep> {
  const step = 'authorization request';
  const [first] = scopesToRequest({ releases: [fhirVersion], supported, capabilities, registered });
  const url = appendParameters(authorizationEndpoint, {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: first?.scope,
    state: randomSecret(),
    aud: fhir_base_url,
    code_challenge: createHash('sha256').update(randomSecret()).digest('base64url'),
    code_challenge_method: 'S256',
  });
  try {
    const { status, location } = await http.getWithoutRedirects(url, 'text/html');
    const error = location?.startsWith(redirectUri) ? errorOfRedirect(location) : undefined;
    if (error)
      return {
        step,
        result: 'failed',
        message: `the health system redirects back with the error ${error}`,
        advice: error === 'invalid_scope' ? 'other scopes are requested next; or set them by --scopes' : clientAdvice,
      };
    if (status >= 400 && status < 500)
      return {
        step,
        result: 'failed',
        message: `the response has the status ${status}`,
        advice: `check the client_id, and that the redirect_uri ${redirectUri} is registered at the health system`,
      };
    if (status >= 500)
      return { step, result: 'warning', message: `the response has the status ${status}`, advice: 'try again later' };
    return { step, result: 'ok', message: `accepted (${status}) with the redirect_uri ${redirectUri}` };
  } catch (error) {
    if (!(error instanceof OutboundRequestFailed)) throw error;
    return failedRequest(step, error.reason);
  }
}

const clientAdvice = 'the client may not be approved yet, or not for this kind of use: ask the health system';

function errorOfRedirect(location: string): string | undefined {
  const error = new URL(location).searchParams.get('error');
  return error === null ? undefined : (errorCodeOf({ error }) ?? 'of another form');
}

const jwkSet = z.object({ keys: z.array(z.object({ kid: z.string() })) });

async function jwksStep({ http, signingKeys, jwksUrl }: RegistrationCheckDependencies): Promise<CheckStep> {
  const step = 'JWK Set';
  try {
    const { status, text } = await http.get(jwksUrl, 'application/json');
    const published = jwkSet.safeParse(parseJson(text));
    const kids = new Set(published.success ? published.data.keys.map(({ kid }) => kid) : []);
    const own = await signingKeys.jwkSet();
    if (status === 200 && own.keys.every(({ kid }) => kid !== undefined && kids.has(kid)))
      return { step, result: 'ok', message: `${jwksUrl} is reachable from here and has all ${own.keys.length} keys` };
    const message = status === 200 ? `${jwksUrl} lacks some of our keys` : `${jwksUrl} responds with ${status}`;
    return { step, result: 'failed', message, advice: 'check BASE_URL, and caches and the gateway in between' };
  } catch (error) {
    if (!(error instanceof OutboundRequestFailed)) throw error;
    return {
      ...failedRequest(step, error.reason),
      advice: `the health system must be able to read ${jwksUrl}: check BASE_URL, DNS and the gateway`,
    };
  }
}

async function getDocument(
  http: OutboundHttp,
  { fhir_base_url }: HealthSystemEndpoint,
  path: string,
  accept: string,
): Promise<{ status: number; text: string } | { reason: string }> {
  try {
    return await http.get(withoutFinalSlash(fhir_base_url) + path, accept);
  } catch (error) {
    if (!(error instanceof OutboundRequestFailed)) throw error;
    return { reason: error.reason };
  }
}
