import {
  type CryptoKey,
  type JWK,
  type JWTPayload,
  SignJWT,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
} from 'jose';

const alg = 'RS256';

interface KeyPair {
  privateKey: CryptoKey;
  /** The public key with its RFC 7638 thumbprint as `kid`. */
  jwk: JWK;
}

/**
 * The RS256 key that signs id_tokens. It is generated on first use in each process and published as a JWK Set (RFC
 * 7517).
 */
export class SigningKey {
  #pair: Promise<KeyPair> | undefined;

  async jwks(): Promise<{ keys: JWK[] }> {
    return { keys: [(await this.#key()).jwk] };
  }

  /** Signs the claims as a JWT (RFC 7519). */
  async sign(claims: JWTPayload): Promise<string> {
    const { privateKey, jwk } = await this.#key();
    return new SignJWT(claims).setProtectedHeader({ alg, typ: 'JWT', kid: jwk.kid! }).sign(privateKey);
  }

  #key(): Promise<KeyPair> {
    return (this.#pair ??= generate());
  }
}

async function generate(): Promise<KeyPair> {
  const { publicKey, privateKey } = await generateKeyPair(alg);
  const jwk = await exportJWK(publicKey);
  return { privateKey, jwk: { ...jwk, kid: await calculateJwkThumbprint(jwk), use: 'sig', alg } };
}
