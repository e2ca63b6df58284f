import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** The key with which id_tokens are signed (RS256), made anew at each start and published as a JWKS. */
export class SigningKey {
  private pair: { privateKey: KeyObject; jwk: Record<string, unknown> } | undefined;

  /** The public key as a JSON Web Key Set. */
  jwks(): { keys: Record<string, unknown>[] } {
    return { keys: [this.key().jwk] };
  }

  /** Signs claims as a compact JSON Web Token. */
  sign(claims: object): string {
    const { privateKey, jwk } = this.key();
    const input = [{ alg: 'RS256', typ: 'JWT', kid: jwk['kid'] }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${input}.${sign('sha256', Buffer.from(input), privateKey).toString('base64url')}`;
  }

  private key(): { privateKey: KeyObject; jwk: Record<string, unknown> } {
    if (this.pair) return this.pair;
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const exported = publicKey.export({ format: 'jwk' });
    const kid = createHash('sha256')
      .update(JSON.stringify({ e: exported.e, kty: 'RSA', n: exported.n }))
      .digest('base64url');
    this.pair = { privateKey, jwk: { ...exported, kid, use: 'sig', alg: 'RS256' } };
    return this.pair;
  }
}
