import { type JsonWebKey, type KeyObject, constants, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { type SigningAlgorithm, jwtBearerAssertionType } from '@tributary/contracts';
import type { JsonWebKeySet } from '../src/client-authentication/key-set';
import { authUrl } from './auth-under-test';

/**
 * A key pair of a client. Assertions are signed by node:crypto and not by jose, so that they can be invalid in any
 * respect.
 */
export interface SigningKey {
  algorithm: SigningAlgorithm;
  kid: string;
  privateKey: KeyObject;
  /** The public key as the client publishes it. */
  jwk: JsonWebKey & { kid: string };
}

export function signingKey(algorithm: SigningAlgorithm, kid: string = randomUUID()): SigningKey {
  const { publicKey, privateKey } =
    algorithm === 'RS384'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-384' });
  return {
    algorithm,
    kid,
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' },
  };
}

export function keySetOf(...keys: SigningKey[]): JsonWebKeySet {
  return { keys: keys.map(({ jwk }) => jwk) };
}

/** Members that differ from a valid assertion; undefined removes a member. */
export interface Differences {
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
}

export const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

/** Returns a signed client assertion. */
export function assertion(
  clientId: string,
  { algorithm, kid, privateKey }: SigningKey,
  { header, claims }: Differences = {},
): string {
  const signed = [
    { alg: algorithm, kid, typ: 'JWT', ...header },
    {
      iss: clientId,
      sub: clientId,
      aud: `${authUrl}/oauth2/token`,
      exp: secondsFromNow(240),
      jti: randomUUID(),
      ...claims,
    },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const options =
    algorithm === 'RS384'
      ? { key: privateKey, padding: constants.RSA_PKCS1_PADDING }
      : { key: privateKey, dsaEncoding: 'ieee-p1363' as const };
  return `${signed}.${sign('sha384', Buffer.from(signed), options).toString('base64url')}`;
}

/** Returns the form parameters of an assertion. */
export function asserting(text: string): { client_assertion_type: string; client_assertion: string } {
  return { client_assertion_type: jwtBearerAssertionType, client_assertion: text };
}
