import { createPublicKey, verify, type JsonWebKey } from 'node:crypto';
import { InvalidClient } from './invalid-client';
import type { RegisteredClient } from './registered-clients';

interface Assertion {
  header: { alg?: string; kid?: string };
  claims: { iss?: unknown; sub?: unknown; aud?: unknown; exp?: unknown; jti?: unknown };
  input: string;
  signature: Buffer;
}

/** Signature algorithms that SMART asks for, and RS256 and ES256 besides. */
const digests: Record<string, string> = { RS256: 'sha256', RS384: 'sha384', ES256: 'sha256', ES384: 'sha384' };

const longestLife = 5 * 60_000;
const spentAssertions = new Map<string, number>();

/** Checks a `private_key_jwt` assertion (RFC 7523 as SMART narrows it) and gives its client. */
export async function checkClientAssertion(
  clients: Map<string, RegisteredClient>,
  text: string,
  tokenEndpoints: string[],
  now: number,
): Promise<RegisteredClient> {
  const assertion = parsedAssertion(text);
  const { iss, sub, aud, exp, jti } = assertion.claims;
  const client = typeof sub === 'string' ? clients.get(sub) : undefined;
  if (!client || iss !== sub) throw new InvalidClient('iss and sub of the assertion have to be the client_id');
  const audiences = Array.isArray(aud) ? aud : [aud];
  if (!audiences.some((audience) => tokenEndpoints.includes(String(audience))))
    throw new InvalidClient('aud of the assertion is not this token endpoint');
  if (typeof exp !== 'number' || exp * 1000 < now || exp * 1000 > now + longestLife + 60_000)
    throw new InvalidClient('exp of the assertion is past, or more than five minutes ahead');
  if (typeof jti !== 'string' || !firstUse(`${client.client_id} ${jti}`, exp * 1000, now))
    throw new InvalidClient('jti of the assertion is missing or was used before');
  const keys = await keysOf(client);
  if (!keys.some((key) => signedBy(key, assertion)))
    throw new InvalidClient('the signature of the assertion is not by a key of the client');
  return client;
}

function parsedAssertion(text: string): Assertion {
  const [header = '', claims = '', signature = ''] = text.split('.');
  try {
    return {
      header: JSON.parse(Buffer.from(header, 'base64url').toString()) as Assertion['header'],
      claims: JSON.parse(Buffer.from(claims, 'base64url').toString()) as Assertion['claims'],
      input: `${header}.${claims}`,
      signature: Buffer.from(signature, 'base64url'),
    };
  } catch {
    throw new InvalidClient('the assertion is not a JWT');
  }
}

function firstUse(key: string, expiresAt: number, now: number): boolean {
  for (const [spent, until] of spentAssertions) if (until < now) spentAssertions.delete(spent);
  if (spentAssertions.has(key)) return false;
  spentAssertions.set(key, expiresAt);
  return true;
}

/** The client's public keys, asked for anew each time: a key may have been rotated. */
async function keysOf(client: RegisteredClient): Promise<JsonWebKey[]> {
  if (!client.jwks_uri) return (client.jwks?.keys ?? []) as JsonWebKey[];
  try {
    const response = await fetch(client.jwks_uri, { signal: AbortSignal.timeout(5_000) });
    const { keys } = (await response.json()) as { keys: JsonWebKey[] };
    return keys;
  } catch {
    throw new InvalidClient('the keys of the client (jwks_uri) cannot be fetched');
  }
}

function signedBy(key: JsonWebKey, { header, input, signature }: Assertion): boolean {
  const digest = digests[header.alg ?? ''];
  const kindOfAlgorithm = header.alg?.startsWith('RS') ? 'RSA' : 'EC';
  if (!digest || key.kty !== kindOfAlgorithm || (header.kid !== undefined && key['kid'] !== header.kid)) return false;
  try {
    return verify(
      digest,
      Buffer.from(input),
      { key: createPublicKey({ key, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      signature,
    );
  } catch {
    return false;
  }
}
