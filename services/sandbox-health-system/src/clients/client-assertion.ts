import { GuardedHttp } from '@tributary/outbound';
import { type JSONWebKeySet, type JWTPayload, createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { InvalidClient } from './invalid-client';
import type { RegisteredClient } from './registered-clients';

/** The algorithms of SMART App Launch 2, and RS256 and ES256, which some vendors also accept. */
const algorithms = ['RS256', 'RS384', 'ES256', 'ES384'];
/** In seconds. */
const maxLifetime = 300;
const clockTolerance = 60;

/** The `jti` of accepted assertions with their expiry, in epoch milliseconds. */
const usedAssertions = new Map<string, number>();

/**
 * Authenticates a client by `private_key_jwt` (RFC 7523, as profiled by
 * https://hl7.org/fhir/smart-app-launch/client-confidential-asymmetric.html).
 * @param now epoch milliseconds
 * @throws InvalidClient
 */
export async function verifyClientAssertion(
  clients: Map<string, RegisteredClient>,
  text: string,
  tokenEndpoints: string[],
  now: number,
): Promise<RegisteredClient> {
  const client = clients.get(unverifiedSubject(text) ?? '');
  if (!client) throw new InvalidClient('sub of the assertion is not the client_id of a registered client');
  const { exp, jti } = await verifiedClaims(client, text, tokenEndpoints, now);
  const expiresAt = Number(exp) * 1000;
  if (expiresAt > now + (maxLifetime + clockTolerance) * 1000)
    throw new InvalidClient('exp of the assertion is more than five minutes ahead');
  if (!isFirstUse(`${client.client_id} ${jti}`, expiresAt, now))
    throw new InvalidClient('jti of the assertion was used before');
  return client;
}

function unverifiedSubject(text: string): string | undefined {
  try {
    return decodeJwt(text).sub;
  } catch {
    throw new InvalidClient('the assertion is not a JWT');
  }
}

async function verifiedClaims(
  client: RegisteredClient,
  text: string,
  tokenEndpoints: string[],
  now: number,
): Promise<JWTPayload> {
  const keySet = await keySetOf(client);
  try {
    const { payload } = await jwtVerify(text, createLocalJWKSet(keySet), {
      algorithms,
      issuer: client.client_id,
      subject: client.client_id,
      audience: tokenEndpoints,
      requiredClaims: ['exp', 'jti'],
      currentDate: new Date(now),
    });
    return payload;
  } catch (error) {
    throw new InvalidClient(`the assertion is not valid: ${(error as Error).message}`);
  }
}

/** The sandbox runs beside its clients, on private addresses. */
const http = new GuardedHttp({ allowPrivateAddresses: true, userAgent: 'Tributary sandbox health system' });

/** The public keys of the client. A key set at a URL is fetched each time, because keys may have been rotated. */
async function keySetOf(client: RegisteredClient): Promise<JSONWebKeySet> {
  if (!client.jwks_uri) return (client.jwks ?? { keys: [] }) as JSONWebKeySet;
  try {
    const { text } = await http.request({
      method: 'GET',
      url: client.jwks_uri,
      totalMs: 5_000,
      maxBytes: 256 * 1024,
    });
    return JSON.parse(text) as JSONWebKeySet;
  } catch {
    throw new InvalidClient('the keys of the client (jwks_uri) cannot be fetched');
  }
}

function isFirstUse(key: string, expiresAt: number, now: number): boolean {
  for (const [used, until] of usedAssertions) if (until < now) usedAssertions.delete(used);
  if (usedAssertions.has(key)) return false;
  usedAssertions.set(key, expiresAt);
  return true;
}
