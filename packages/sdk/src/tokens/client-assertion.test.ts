import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { signClientAssertion } from './client-assertion.ts';

const keys = {
  ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  RS384: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

describe.each(['ES384', 'RS384'] as const)('a client assertion by %s', (algorithm) => {
  it('is a JWT that the public key verifies, valid for a few minutes', async () => {
    const jwk = keys[algorithm].privateKey.export({ format: 'jwk' }) as JsonWebKey;
    const key = { key: { ...jwk, use: 'sig', key_ops: ['sign'], alg: algorithm }, kid: 'key-1', algorithm };
    const assertion = await signClientAssertion(key, 'client-1', 'https://auth.example.org/oauth2/token');
    const [header = '', claims = '', signature = ''] = assertion.split('.');
    const decode = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString());
    expect(decode(header)).toEqual({ alg: algorithm, typ: 'JWT', kid: 'key-1' });
    const { iat, exp, ...rest } = decode(claims) as Record<string, number>;
    expect(rest).toEqual({
      iss: 'client-1',
      sub: 'client-1',
      aud: 'https://auth.example.org/oauth2/token',
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(exp! - iat!).toBeLessThanOrEqual(300);
    const publicKey = createPublicKey(keys[algorithm].privateKey);
    expect(
      verify(
        'sha384',
        Buffer.from(`${header}.${claims}`),
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature, 'base64url'),
      ),
    ).toBe(true);
  });
});
