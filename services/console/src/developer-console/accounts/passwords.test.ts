import { hash, verify } from '@node-rs/argon2';
import { hashPassword, isOutdated, isPassword } from './passwords';

jest.mock('@node-rs/argon2', () => {
  const actual = jest.requireActual<typeof import('@node-rs/argon2')>('@node-rs/argon2');
  return { ...actual, verify: jest.fn(actual.verify) };
});

describe('passwords', () => {
  it('are verified with the same work whether there is an account or not', async () => {
    const stored = await hashPassword('plain violet harbour 81');
    expect(await isPassword(stored, 'plain violet harbour 81')).toBe(true);
    expect(await isPassword(stored, 'plain violet harbour 82')).toBe(false);
    for (const password of ['plain violet harbour 81', '']) expect(await isPassword(undefined, password)).toBe(false);
    const compared = jest.mocked(verify).mock.calls.map(([made]) => String(made).split('$').slice(0, 4).join('$'));
    expect(compared).toEqual(Array(4).fill('$argon2id$v=19$m=19456,t=2,p=1'));
  });

  it('are hashed again after a change of the parameters only', async () => {
    expect(isOutdated(await hashPassword('plain violet harbour 81'))).toBe(false);
    expect(isOutdated(await hash('plain violet harbour 81', { memoryCost: 8192 }))).toBe(true);
  });
});
