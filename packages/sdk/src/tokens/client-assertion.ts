/** A private key whose public part is registered for the client application (`private_key_jwt`). */
export interface ClientKey {
  /** The private key as a JWK, or as a CryptoKey that can sign. */
  key: JsonWebKey | CryptoKey;
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
  const signingKey =
    key instanceof CryptoKey
      ? key
      : await crypto.subtle.importKey('jwk', signingPart(key), rules.import, false, ['sign']);
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: clientId, sub: clientId, aud: audience, jti: crypto.randomUUID(), iat: now, exp: now + 240 };
  const content = `${encodeJson({ alg: algorithm, typ: 'JWT', kid })}.${encodeJson(claims)}`;
  const signature = await crypto.subtle.sign(rules.sign, signingKey, new TextEncoder().encode(content));
  return `${content}.${encode(new Uint8Array(signature))}`;
}

/** The JWK without the members that restrict its use, which Web Crypto compares with the requested use. */
function signingPart({
  key_ops: _operations,
  use: _use,
  alg: _algorithm,
  ext: _extractable,
  ...key
}: JsonWebKey): JsonWebKey {
  return key;
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
