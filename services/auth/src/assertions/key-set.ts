import { type JsonWebKey, type KeyObject, createPublicKey } from 'node:crypto';
import { z } from 'zod';

/** The signatures that are accepted (SMART App Launch 2, "client authentication: asymmetric"). */
export const signingAlgorithms = ['RS384', 'ES384'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** A public key of a client, and what it verifies. */
export interface VerificationKey {
  kid: string;
  algorithm: SigningAlgorithm;
  key: KeyObject;
}

/** A JSON Web Key Set (RFC 7517). */
export interface JsonWebKeySet {
  keys: object[];
}

/** A JSON Web Key Set that cannot serve; the message names no key. */
export class UnusableKeySet extends Error {
  constructor(reason: string) {
    super(`the JWKS ${reason}`);
    this.name = 'UnusableKeySet';
  }
}

const publicKey = z.looseObject({ kty: z.string() });
const keySet = z.looseObject({ keys: z.array(publicKey).max(100) });
type Jwk = z.infer<typeof publicKey>;

const smallestModulus = 2048;
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/**
 * A key set as an operator registers it.
 * @throws UnusableKeySet also when it holds a private key, or no key that verifies anything here
 */
export function registrableKeySet(json: unknown): JsonWebKeySet {
  const set = readKeySet(json);
  if (set.keys.some((key) => privateMembers.some((member) => member in key)))
    throw new UnusableKeySet('holds a private or secret key: only public ones may leave the client');
  const usable = verificationKeys(set);
  if (usable.length === 0)
    throw new UnusableKeySet('has no key for RS384 (RSA of 2048 bits or more) or ES384 (P-384) with a kid');
  if (new Set(usable.map(({ kid, algorithm }) => `${algorithm} ${kid}`)).size < usable.length)
    throw new UnusableKeySet('has two keys with the same kid');
  return set;
}

/** The keys of a set that can verify assertions; others, such as those for encryption, are left out. */
export function verificationKeys(json: unknown): VerificationKey[] {
  return readKeySet(json).keys.flatMap((jwk) => verificationKey(jwk) ?? []);
}

function readKeySet(json: unknown): z.infer<typeof keySet> {
  const read = keySet.safeParse(json);
  if (!read.success) throw new UnusableKeySet('is not a JSON Web Key Set: {"keys": [...]}');
  return read.data;
}

function verificationKey(jwk: Jwk): VerificationKey | undefined {
  const algorithm = algorithmOf(jwk);
  const { kid } = jwk;
  if (algorithm === undefined || typeof kid !== 'string' || kid === '' || !isForSignatures(jwk, algorithm))
    return undefined;
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    return (key.asymmetricKeyDetails?.modulusLength ?? smallestModulus) < smallestModulus
      ? undefined
      : { kid, algorithm, key };
  } catch {
    return undefined;
  }
}

function algorithmOf({ kty, crv }: Jwk): SigningAlgorithm | undefined {
  if (kty === 'RSA') return 'RS384';
  return kty === 'EC' && crv === 'P-384' ? 'ES384' : undefined;
}

function isForSignatures({ use, alg, key_ops: operations }: Jwk, algorithm: SigningAlgorithm): boolean {
  const verifies = operations === undefined || (Array.isArray(operations) && operations.includes('verify'));
  return verifies && (use === undefined || use === 'sig') && (alg === undefined || alg === algorithm);
}
