import { generateKeyPairSync } from 'node:crypto';
import { keySetOf, signingKey } from '../../test/signing-client';
import { registrableKeySet, usableKeys } from './key-set';

describe('key sets', () => {
  const [rsa, ec] = [signingKey('RS384', 'one'), signingKey('ES384', 'two')];

  it('are stored as registered, and provide the usable keys', () => {
    const set = keySetOf(rsa, ec);
    expect(registrableKeySet(set)).toEqual(set);
    expect(usableKeys(set).map(({ kid, alg }) => [kid, alg])).toEqual([
      ['one', 'RS384'],
      ['two', 'ES384'],
    ]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['for encryption', { ...ec.jwk, use: 'enc' }],
    ['for other operations', { ...ec.jwk, use: undefined, key_ops: ['deriveKey'] }],
    ['for another algorithm', { ...rsa.jwk, alg: 'RS256' }],
    ['without a kid', { ...ec.jwk, kid: undefined }],
    [
      'of another curve',
      { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }), kid: 'x' },
    ],
    [
      'of too few bits',
      { ...generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' }), kid: 'x' },
    ],
    ['that is broken', { ...ec.jwk, y: 'AAAA' }],
    ['of another key type', { kty: 'OKP', crv: 'Ed25519', x: 'AAAA', kid: 'x' }],
  ])('leave out a key %s', (_case, jwk) => {
    expect(usableKeys({ keys: [jwk, rsa.jwk] }).map(({ kid }) => kid)).toEqual(['one']);
    expect(() => registrableKeySet({ keys: [jwk] })).toThrow('has no key');
    expect(registrableKeySet({ keys: [jwk, rsa.jwk] }).keys).toHaveLength(2);
  });

  it('accept a key without use and alg', () => {
    expect(
      usableKeys({
        keys: [
          { ...ec.jwk, use: undefined, alg: undefined },
          { ...rsa.jwk, use: undefined, key_ops: ['verify'] },
        ],
      }),
    ).toHaveLength(2);
  });

  it('are refused with a private key, with two keys of one kid, or when they are malformed', () => {
    expect(() => registrableKeySet({ keys: [{ ...ec.privateKey.export({ format: 'jwk' }), kid: 'x' }] })).toThrow(
      'private',
    );
    expect(() => registrableKeySet({ keys: [{ kty: 'oct', k: 'AAAA', kid: 'x' }, ec.jwk] })).toThrow('private');
    expect(() => registrableKeySet({ keys: [ec.jwk, signingKey('ES384', 'two').jwk] })).toThrow('same kid');
    for (const other of [null, [], ec.jwk, { keys: {} }, { keys: [1] }, 'keys'])
      expect(() => registrableKeySet(other)).toThrow('not a JSON Web Key Set');
  });
});
