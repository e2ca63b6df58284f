import { createHash } from 'node:crypto';
import {
  type HealthSystemEndpoint,
  type RegistrationCheckStep,
  fhirJsonMediaType,
  parseResourceScope,
  withoutFinalSlash,
} from '@tributary/contracts';
import { OutboundRequestFailed } from '@tributary/outbound';
import { appendParameters } from '@tributary/service-kit';
import { z } from 'zod';
import { scopesToRequest } from '../connect/scopes';
import { randomSecret } from '../connect/secrets';
import type { Dependencies } from '../dependencies';
import { type AuthorizationServer, errorCodeOf, parseJson } from '../health-systems/authorization-server';
import { type ClientAuthenticationMethod, methodsToTry, postAsClient } from '../health-systems/client-authentication';
import { readConformanceStatement, readSmartConfiguration } from '../health-systems/discovery-documents';
import { DiscoveryFailed, discover } from '../health-systems/discovery';
import type { ClientRegistration } from '../health-systems/registrations';
import { isAboutTheClient, isClientError, madeUpCode } from '../health-systems/token-client';
import type { OutboundHttp } from '../outbound/outbound-http';

/** One line of `registration test`. */
export type CheckStep = Omit<RegistrationCheckStep, keyof HealthSystemEndpoint>;

interface CheckDependencies extends Pick<Dependencies, 'http' | 'registrations' | 'signingKeys'> {
  /** The public address of the JWK Set of our client. */
  jwksUrl: string;
}

type Result = Omit<CheckStep, 'step'>;

const ok = (message: string): Result => ({ result: 'ok', message });
const warning = (message: string, advice?: string): Result => ({
  result: 'warning',
  message,
  ...(advice === undefined ? {} : { advice }),
});
const failed = (message: string, advice: string): Result => ({ result: 'failed', message, advice });

/**
 * Goes through the steps of connecting to an endpoint as far as that is possible without a user, and explains the
 * result of each. Sends about ten requests, stores nothing, and needs no consent.
 */
export async function* checkRegistration(
  dependencies: CheckDependencies,
  endpoint: HealthSystemEndpoint,
): AsyncGenerator<CheckStep> {
  const { http, registrations } = dependencies;
  const base = withoutFinalSlash(endpoint.fhir_base_url);
  const registration = await registrations.find(endpoint.fhir_base_url);
  yield { step: 'registration', ...checkFound(registration) };
  yield unlessRequestFails('smart-configuration', () => checkSmartConfiguration(http, base));
  yield unlessRequestFails('metadata', () => checkMetadata(http, base, endpoint));
  let server: AuthorizationServer;
  try {
    server = await discover(http, endpoint);
  } catch (error) {
    if (!(error instanceof DiscoveryFailed)) throw error;
    const advice = 'without endpoints nobody can connect: check the FHIR base, or ask the health system';
    return yield { step: 'discovery', ...failed(error.message, advice) };
  }
  yield { step: 'addresses', ...(await checkAddresses(http, server)) };
  if (!registration) return;
  const { scopesSupported: supported, capabilities } = server;
  const { scopes: registered } = registration;
  const [first] = scopesToRequest({ releases: [endpoint.fhirVersion], supported, capabilities, registered });
  yield { step: 'scopes', ...checkScopes(first?.scope, registered, supported) };
  yield unlessRequestFails('authorization request', () =>
    checkAuthorization(http, endpoint, registration, server, first?.scope),
  );
  if (registration.authMethod === 'private_key_jwt') {
    const advice = `the health system must be able to read ${dependencies.jwksUrl}: check BASE_URL, DNS and the gateway`;
    yield unlessRequestFails('JWK Set', () => checkJwkSet(dependencies), advice);
  }
  yield* checkClientAuthentication(dependencies, registration, server);
}

/** @param advice when a request fails; by default what its failure suggests */
async function unlessRequestFails(step: string, work: () => Promise<Result>, advice?: string): Promise<CheckStep> {
  try {
    return { step, ...(await work()) };
  } catch (error) {
    if (!(error instanceof OutboundRequestFailed)) throw error;
    return { step, ...failed(`there is no response: ${error.reason}`, advice ?? adviceFor(error.reason)) };
  }
}

/** @param reason of an `OutboundRequestFailed`: the code of a network or TLS error, or a sentence */
function adviceFor(reason: string): string {
  if (/CERT|TLS|SSL|ISSUER|VERIFY/.test(reason))
    return 'the TLS certificate is not valid (expired, self-signed, incomplete chain or another name): the health system must correct it';
  if (/ENOTFOUND|EAI_AGAIN/.test(reason)) return 'the host name does not resolve: check the address in the directory';
  if (/^[A-Z_]+$/.test(reason)) return 'the host does not respond: try again later, and check firewalls';
  return 'only https and public addresses are used outside of SANDBOX_MODE';
}

function checkFound(registration: ClientRegistration | undefined): Result {
  return registration
    ? ok(`client_id ${registration.clientId}, ${registration.authMethod}`)
    : failed(
        'no registration matches this FHIR base',
        'register a client at the health system, and record it by `registration set`',
      );
}

async function checkSmartConfiguration(http: OutboundHttp, base: string): Promise<Result> {
  const advice = 'the endpoints are taken from /metadata if it names them; otherwise ask the health system';
  const { status, text } = await http.get(`${base}/.well-known/smart-configuration`, 'application/json');
  if (status !== 200) return warning(`the response has the status ${status}`, advice);
  const server = readSmartConfiguration(text);
  if (!server) return warning('the document names no authorization and token endpoint', advice);
  const lists = [server.scopesSupported ? `${server.scopesSupported.length} scopes` : 'no scopes_supported'];
  if (server.capabilities) lists.push(`${server.capabilities.length} capabilities`);
  return ok(`names both endpoints, ${lists.join(', ')}`);
}

const capabilityStatement = z.object({ fhirVersion: z.string().regex(/^[0-9.a-z-]{1,20}$/) });
const releaseVersions = { dstu2: /^1\.0/, stu3: /^3\.0/, r4: /^4\.0/ };

async function checkMetadata(http: OutboundHttp, base: string, { fhirVersion }: HealthSystemEndpoint): Promise<Result> {
  const { status, text } = await http.get(`${base}/metadata`, fhirJsonMediaType[fhirVersion]);
  const parsed = capabilityStatement.safeParse(parseJson(text));
  if (status !== 200 || !parsed.success)
    return warning(
      status === 200 ? 'the response is no CapabilityStatement' : `the response has the status ${status}`,
      'every resource type is searched, as none is announced',
    );
  const endpoints = readConformanceStatement(text) ? 'names the OAuth endpoints' : 'names no OAuth endpoints';
  const message = `FHIR ${parsed.data.fhirVersion}, ${endpoints}`;
  return releaseVersions[fhirVersion].test(parsed.data.fhirVersion)
    ? ok(message)
    : failed(message, `the endpoint does not serve ${fhirVersion}: correct the directory`);
}

async function checkAddresses(
  http: OutboundHttp,
  { authorizationEndpoint, tokenEndpoint }: AuthorizationServer,
): Promise<Result> {
  for (const [name, url] of Object.entries({ authorization: authorizationEndpoint, token: tokenEndpoint })) {
    try {
      await http.assertSafeUrl(url);
    } catch (error) {
      if (!(error instanceof OutboundRequestFailed)) throw error;
      const advice = 'only https and public addresses are used outside of SANDBOX_MODE';
      return failed(`the ${name} endpoint is refused: ${error.reason}`, advice);
    }
  }
  const hosts = new Set([authorizationEndpoint, tokenEndpoint].map((url) => new URL(url).host));
  return ok(`the endpoints are at ${[...hosts].join(' and ')}`);
}

function checkScopes(
  scope: string | undefined,
  registered: string | undefined,
  supported: readonly string[] | undefined,
): Result {
  const requested = scope?.split(' ') ?? [];
  const message = `requests ${scope ?? 'nothing'}`;
  const missing = supported ? requested.filter((each) => !isAnnounced(each, supported)) : [];
  if (registered && missing.length > 0)
    return warning(
      `${message}; not in scopes_supported: ${missing.join(' ')}`,
      'compare the scopes of the registration with those that the health system has approved',
    );
  if (!requested.includes('offline_access') && !requested.includes('online_access'))
    return warning(
      `${message}; offline_access is not announced`,
      'without a refresh token users must connect again when their access token expires',
    );
  return ok(message);
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
async function checkAuthorization(
  http: OutboundHttp,
  { fhir_base_url }: HealthSystemEndpoint,
  { clientId, redirectUri }: ClientRegistration,
  { authorizationEndpoint }: AuthorizationServer,
  scope: string | undefined,
): Promise<Result> {
  const url = appendParameters(authorizationEndpoint, {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: randomSecret(),
    aud: fhir_base_url,
    code_challenge: createHash('sha256').update(randomSecret()).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const { status, location } = await http.getWithoutRedirects(url, 'text/html');
  const error = location?.startsWith(redirectUri) ? errorOfRedirect(location) : undefined;
  if (error)
    return failed(
      `the health system redirects back with the error ${error}`,
      error === 'invalid_scope'
        ? 'other scopes are requested next; or set them by --scopes'
        : 'the client may not be approved yet, or not for this kind of use: ask the health system',
    );
  const message = `the response has the status ${status}`;
  if (status >= 500) return warning(message, 'try again later');
  return status >= 400
    ? failed(
        message,
        `check the client_id, and that the redirect_uri ${redirectUri} is registered at the health system`,
      )
    : ok(`accepted (${status}) with the redirect_uri ${redirectUri}`);
}

function errorOfRedirect(location: string): string | undefined {
  const error = new URL(location).searchParams.get('error');
  return error === null ? undefined : (errorCodeOf({ error }) ?? 'of another form');
}

const jwkSet = z.object({ keys: z.array(z.object({ kid: z.string() })) });

async function checkJwkSet({ http, signingKeys, jwksUrl }: CheckDependencies): Promise<Result> {
  const { status, text } = await http.get(jwksUrl, 'application/json');
  const published = jwkSet.safeParse(parseJson(text));
  const kids = new Set(published.success ? published.data.keys.map(({ kid }) => kid) : []);
  const own = await signingKeys.jwkSet();
  if (status === 200 && own.keys.every(({ kid }) => kid !== undefined && kids.has(kid)))
    return ok(`${jwksUrl} is reachable from here and has all ${own.keys.length} keys`);
  return failed(
    status === 200 ? `${jwksUrl} lacks some of our keys` : `${jwksUrl} responds with ${status}`,
    'check BASE_URL, and caches and the gateway in between',
  );
}

/** Authenticates our client at the token endpoint by each method in turn, up to the first that is accepted. */
async function* checkClientAuthentication(
  dependencies: CheckDependencies,
  registration: ClientRegistration,
  server: AuthorizationServer,
): AsyncGenerator<CheckStep> {
  const { tokenEndpoint } = server;
  for (const [index, method] of methodsToTry(registration, server).entries()) {
    let isFinal = true;
    yield unlessRequestFails(`client authentication by ${method}`, async () => {
      const client = { method, registration, tokenEndpoint };
      const { status, text } = await postAsClient(dependencies, client, tokenEndpoint, madeUpCode(registration));
      const error = errorCodeOf(parseJson(text));
      isFinal = !isAboutTheClient({ status, error });
      return judge({ status, error }, method, index === 0 || method.startsWith(registration.authMethod));
    });
    if (isFinal) return;
  }
  yield {
    step: 'client authentication',
    ...failed(
      'the health system accepts none of the methods',
      'compare client_id, secret or JWK Set URL with the registration at the health system, and use `registration set`',
    ),
  };
}

function judge(
  { status, error }: { status: number; error: string | undefined },
  method: ClientAuthenticationMethod,
  isRegistered: boolean,
): Result {
  const response = `the response is ${status} ${error ?? 'without an error code'}`;
  if (error === 'invalid_grant') {
    if (method === 'none') return ok(`${response}: the token endpoint works; a public client has nothing to prove`);
    if (isRegistered) return ok(`${response}: the client is accepted, and the made-up code is refused`);
    return warning(
      `${response}: the client is accepted by this method, and not by the registered one`,
      `it works as it is; --auth-method ${method.replace(/_(unencoded|rs384|es384)$/, '')} saves requests`,
    );
  }
  if (status === 401 || isClientError({ status, error })) return warning(`${response}: the client is refused`);
  if (isAboutTheClient({ status, error }))
    return warning(`${response}: that can be about the client or about the made-up code`);
  return status >= 500
    ? failed(response, 'the token endpoint fails: try again later')
    : warning(`${response}: that says nothing about the client`, 'try with a user');
}
