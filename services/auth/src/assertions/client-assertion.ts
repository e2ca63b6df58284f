import { constants, verify } from 'node:crypto';
import { z } from 'zod';
import { AssertionRefused } from './assertion-refused';
import { type SigningAlgorithm, type VerificationKey, signingAlgorithms } from './key-set';

/** The `client_assertion_type` of RFC 7523. */
export const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** A JWT by which a client says who it is (RFC 7523, section 3), read but not believed yet. */
export interface ClientAssertion {
  algorithm: SigningAlgorithm;
  kid: string;
  /** The JWKS URL that the client names; only to be compared. */
  jku: string | undefined;
  clientId: string;
  jti: string;
  /** Seconds since 1970. */
  expiresAt: number;
  signed: string;
  signature: Buffer;
}

/** In seconds (SMART App Launch 2). */
const longestLife = 300;
/** How far the clock of a client may be ahead. */
const clockTolerance = 5;
const longestText = 16_384;

const header = z.looseObject({
  alg: z.enum(signingAlgorithms, 'alg must be RS384 or ES384'),
  kid: z.string('kid is missing').min(1, 'kid is missing'),
  typ: z.string('typ must be JWT').regex(/^jwt$/i, 'typ must be JWT').optional(),
  jku: z.string('jku must be text').optional(),
  crit: z.undefined('crit is not supported').optional(),
});
const claims = z.looseObject({
  iss: z.string('iss is missing'),
  sub: z.string('sub is missing'),
  aud: z.union([z.string(), z.array(z.string())], 'aud is missing'),
  exp: z.number('exp is missing'),
  nbf: z.number('nbf must be a number').optional(),
  jti: z.string('jti is missing').min(1, 'jti is missing').max(1024, 'jti is too long'),
});

/**
 * Reads an assertion and checks all of its claims; whether it is signed by the client stays to be checked.
 * @param audience the address of the token endpoint
 * @throws AssertionRefused
 */
export function readAssertion(text: string, audience: string): ClientAssertion {
  const [, first, second, third] = (text.length <= longestText && /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(text)) || [];
  if (first === undefined || second === undefined || third === undefined) return refuse('it is not a signed JWT');
  const { alg, kid, jku } = checked(header, first);
  const { iss, sub, aud, exp, nbf, jti } = checked(claims, second);
  const now = Date.now() / 1000;
  if (iss !== sub) refuse('iss and sub must both be the client_id');
  if (![aud].flat().includes(audience)) refuse(`aud must be ${audience}`);
  if (exp <= now) refuse('it has expired');
  if (exp > now + longestLife + clockTolerance) refuse('exp must be at most five minutes ahead');
  if (nbf !== undefined && nbf > now + clockTolerance) refuse('nbf lies ahead');
  return {
    algorithm: alg,
    kid,
    jku,
    clientId: sub,
    jti,
    expiresAt: exp,
    signed: `${first}.${second}`,
    signature: Buffer.from(third, 'base64url'),
  };
}

/** Whether one of the keys made the signature: the one that the assertion names, with the algorithm it names. */
export function isSignedBy(
  keys: readonly VerificationKey[],
  { algorithm, kid, signed, signature }: ClientAssertion,
): boolean {
  return keys
    .filter((key) => key.kid === kid && key.algorithm === algorithm)
    .some(({ key }) =>
      verify(
        'sha384',
        Buffer.from(signed),
        algorithm === 'RS384' ? { key, padding: constants.RSA_PKCS1_PADDING } : { key, dsaEncoding: 'ieee-p1363' },
        signature,
      ),
    );
}

function checked<T>(schema: z.ZodType<T>, part: string): T {
  const read = schema.safeParse(parsed(part));
  return read.success ? read.data : refuse(read.error.issues[0]?.message ?? 'it is not a signed JWT');
}

function parsed(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return refuse('it is not a signed JWT');
  }
}

function refuse(reason: string): never {
  throw new AssertionRefused(reason);
}
