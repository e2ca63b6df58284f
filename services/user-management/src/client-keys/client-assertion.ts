import { constants, randomUUID, sign } from 'node:crypto';
import type { SigningAlgorithm } from './signing-key';
import type { SigningKeys } from './signing-keys';

const lifetimeSeconds = 300;

/** The signed statement of who we are that `private_key_jwt` sends (RFC 7523; SMART App Launch 2, "client authentication: asymmetric"). */
export async function clientAssertion(
  keys: SigningKeys,
  algorithm: SigningAlgorithm,
  clientId: string,
  tokenEndpoint: string,
): Promise<string> {
  const { kid, privateKey } = await keys.current(algorithm);
  const now = Math.floor(Date.now() / 1000);
  const header = { alg: algorithm, kid, typ: 'JWT' };
  const claims = {
    iss: clientId,
    sub: clientId,
    aud: tokenEndpoint,
    jti: randomUUID(),
    iat: now,
    exp: now + lifetimeSeconds,
  };
  const signed = `${encoded(header)}.${encoded(claims)}`;
  const how =
    algorithm === 'RS384'
      ? { key: privateKey, padding: constants.RSA_PKCS1_PADDING }
      : { key: privateKey, dsaEncoding: 'ieee-p1363' as const };
  return `${signed}.${sign('sha384', Buffer.from(signed), how).toString('base64url')}`;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
