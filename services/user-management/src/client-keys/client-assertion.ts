import { randomUUID } from 'node:crypto';
import type { SigningAlgorithm } from '@tributary/contracts';
import { SignJWT } from 'jose';
import type { SigningKeys } from './signing-keys';

const lifetimeSeconds = 300;

/**
 * Signs the client assertion of `private_key_jwt` (RFC 7523, section 3).
 * @see https://hl7.org/fhir/smart-app-launch/client-confidential-asymmetric.html
 */
export async function signClientAssertion(
  signingKeys: SigningKeys,
  algorithm: SigningAlgorithm,
  clientId: string,
  tokenEndpoint: string,
): Promise<string> {
  const { kid, privateKey } = await signingKeys.current(algorithm);
  const issuedAt = Math.floor(Date.now() / 1000);
  return new SignJWT()
    .setProtectedHeader({ alg: algorithm, kid, typ: 'JWT' })
    .setIssuer(clientId)
    .setSubject(clientId)
    .setAudience(tokenEndpoint)
    .setJti(randomUUID())
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(privateKey);
}
