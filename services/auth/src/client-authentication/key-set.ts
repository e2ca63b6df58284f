import { createPublicKey } from 'node:crypto';
import type { SigningAlgorithm } from '@tributary/contracts';
import { type JWK, type JWTVerifyGetKey, createLocalJWKSet } from 'jose';
import { z } from 'zod';

/** A JSON Web Key Set (RFC 7517). */
export interface JsonWebKeySet {
  keys: object[];
}

/** A JSON Web Key Set that is malformed or must not be registered; the message contains no key. */
class UnusableKeySet extends Error {
  constructor(reason: string) {
    super(`the JWKS ${reason}`);
    this.name = 'UnusableKeySet';
  }
}

/** The keys of a client that can verify its assertions. */
export interface VerificationKeys {
  kids: ReadonlySet<string>;
  /** Selects a key by the header of a JWT; for `jwtVerify` of jose. */
  getKey: JWTVerifyGetKey;
}

const jsonWebKey = z.looseObject({ kty: z.string() });
const jsonWebKeySet = z.looseObject({ keys: z.array(jsonWebKey).max(100) });

const minModulusBits = 2048;
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/**
 * Validates a key set that an operator registers for a client.
 * @throws UnusableKeySet when it is malformed, holds a private key, two keys with one kid, or no key that can verify
 * assertions
 */
export function registrableKeySet(json: unknown): JsonWebKeySet {
  const set = parseKeySet(json);
  if (set.keys.some((key) => privateMembers.some((member) => member in key)))
    throw new UnusableKeySet('holds a private or secret key: only public ones may leave the client');
  const usable = usableKeys(set);
  if (usable.length === 0)
    throw new UnusableKeySet('has no key for RS384 (RSA of 2048 bits or more) or ES384 (P-384) with a kid');
  if (new Set(usable.map(({ kid, alg }) => `${alg} ${kid}`)).size < usable.length)
    throw new UnusableKeySet('has two keys with the same kid');
  return set;
}

/** @throws UnusableKeySet when the key set is malformed */
export function verificationKeys(json: unknown): VerificationKeys {
  const keys = usableKeys(json);
  return { kids: new Set(keys.map(({ kid }) => kid)), getKey: createLocalJWKSet({ keys }) };
}

/**
 * Returns the keys of a set that can verify assertions, each with its `alg`. Keys of other types, sizes or uses are
 * left out: a client may publish them for other purposes, and jose would refuse them only when one is selected.
 * @throws UnusableKeySet when the key set is malformed
 */
export function usableKeys(json: unknown): (JWK & { kid: string; alg: SigningAlgorithm })[] {
  return parseKeySet(json).keys.flatMap((key: JWK) => {
    const alg = algorithmOf(key);
    const { kid } = key;
    if (alg === undefined || typeof kid !== 'string' || kid === '') return [];
    return isForSignatures(key, alg) && isStrongEnough(key) ? [{ ...key, kid, alg }] : [];
  });
}

function parseKeySet(json: unknown): z.infer<typeof jsonWebKeySet> {
  const parsed = jsonWebKeySet.safeParse(json);
  if (!parsed.success) throw new UnusableKeySet('is not a JSON Web Key Set: {"keys": [...]}');
  return parsed.data;
}

function algorithmOf({ kty, crv }: JWK): SigningAlgorithm | undefined {
  if (kty === 'RSA') return 'RS384';
  return kty === 'EC' && crv === 'P-384' ? 'ES384' : undefined;
}

function isForSignatures({ use, alg, key_ops: operations }: JWK, algorithm: SigningAlgorithm): boolean {
  const verifies = operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
  return verifies && (use === undefined || use === 'sig') && (alg === undefined || alg === algorithm);
}

function isStrongEnough(key: JWK): boolean {
  try {
    const { asymmetricKeyDetails } = createPublicKey({ key, format: 'jwk' });
    return (asymmetricKeyDetails?.modulusLength ?? minModulusBits) >= minModulusBits;
  } catch {
    return false;
  }
}
