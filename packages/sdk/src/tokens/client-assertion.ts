/** A private key as a JWK (RFC 7518, section 6). */
export interface PrivateJwk {
  kty?: string;
  crv?: string;
  x?: string;
  y?: string;
  n?: string;
  e?: string;
  d?: string;
  p?: string;
  q?: string;
  dp?: string;
  dq?: string;
  qi?: string;
}

/** A private key whose public part is registered for the client application (`private_key_jwt`). */
export interface ClientKey {
  /** The private key. */
  key: PrivateJwk;
  /** `kid` of the registered public key. */
  kid: string;
  algorithm: 'ES384' | 'RS384';
}

const algorithms = {
  ES384: { import: { name: 'ECDSA', namedCurve: 'P-384' }, sign: { name: 'ECDSA', hash: 'SHA-384' } },
  RS384: { import: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-384' }, sign: { name: 'RSASSA-PKCS1-v1_5' } },
} as const;

/**
 * A signed assertion (RFC 7523), valid for four minutes and one request, by which a client authenticates.
 * @param audience the token endpoint
 * @see https://hl7.org/fhir/smart-app-launch/client-confidential-asymmetric.html
 */
export async function signClientAssertion(
  { key, kid, algorithm }: ClientKey,
  clientId: string,
  audience: string,
): Promise<string> {
  const rules = algorithms[algorithm];
  const signingKey = await crypto.subtle.importKey('jwk', keyMaterial(key), rules.import, false, ['sign']);
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: clientId, sub: clientId, aud: audience, jti: crypto.randomUUID(), iat: now, exp: now + 240 };
  const content = `${encodeJson({ alg: algorithm, typ: 'JWT', kid })}.${encodeJson(claims)}`;
  const signature = await crypto.subtle.sign(rules.sign, signingKey, new TextEncoder().encode(content));
  return `${content}.${encode(new Uint8Array(signature))}`;
}

/** The key without `use`, `key_ops` and `alg`, which Web Crypto compares with the requested use. */
function keyMaterial({ kty, crv, x, y, n, e, d, p, q, dp, dq, qi }: PrivateJwk): JsonWebKey {
  const members = Object.entries({ kty, crv, x, y, n, e, d, p, q, dp, dq, qi });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

function encodeJson(value: object): string {
  return encode(new TextEncoder().encode(JSON.stringify(value)));
}

function encode(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
