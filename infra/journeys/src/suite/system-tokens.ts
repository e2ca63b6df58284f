import { type JsonWebKey, type KeyObject, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { http } from './http';
import type { Ready } from './ready';
import { adminWithInput } from './users';

/** A key pair of a client, which authenticates with it (private_key_jwt). */
export interface ClientKey {
  algorithm: 'RS384' | 'ES384';
  kid: string;
  privateKey: KeyObject;
  /** The public key as it is registered. */
  jwk: JsonWebKey;
}

export function clientKey(algorithm: ClientKey['algorithm']): ClientKey {
  const { publicKey, privateKey } =
    algorithm === 'RS384'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const kid = randomUUID();
  return {
    algorithm,
    kid,
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: algorithm, use: 'sig' },
  };
}

/** Registers the public keys of a client in place of those that it has. */
export async function registerKeys(clientId: string, ...keys: ClientKey[]): Promise<void> {
  const keySet = JSON.stringify({ keys: keys.map(({ jwk }) => jwk) });
  await adminWithInput(keySet, 'client', 'set-jwks', clientId, '--jwks', '-');
}

/** A signed assertion of a client for one request to the token endpoint (RFC 7523, section 2.2). */
export function clientAssertion(ready: Ready, clientId: string, { algorithm, kid, privateKey }: ClientKey): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: algorithm, kid, typ: 'JWT' })}.${encode({
    iss: clientId,
    sub: clientId,
    aud: `${ready.auth_url}/oauth2/token`,
    jti: randomUUID(),
    exp: Math.floor(Date.now() / 1000) + 240,
  })}`;
  const signature = sign('sha384', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

/** Returns an access token of the client itself (SMART Backend Services). */
export async function systemToken(ready: Ready, clientId: string, key: ClientKey): Promise<string> {
  const configuration = await http('GET', `${ready.analytics_url}/bulk-data/r4/.well-known/smart-configuration`);
  const reply = await http('POST', configuration.json.text('token_endpoint'), {
    form: {
      grant_type: 'client_credentials',
      scope: 'system/*.read',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: clientAssertion(ready, clientId, key),
    },
  });
  return reply.json.text('access_token');
}
