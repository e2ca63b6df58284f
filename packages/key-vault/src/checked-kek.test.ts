import { randomBytes } from 'node:crypto';
import { CheckedKek } from './checked-kek';
import { LocalKeyEncryptionKey } from './local-key-encryption-key';
import { kekIdOf } from './wrapping-key';

describe('CheckedKek', () => {
  const [right, wrong] = [randomBytes(32), randomBytes(32)].map((key) => new LocalKeyEncryptionKey([key]));
  const plain = randomBytes(32);
  let now: LocalKeyEncryptionKey;
  let replaceBeforeWrapping: LocalKeyEncryptionKey | undefined;
  let checks: LocalKeyEncryptionKey[];
  let checked: CheckedKek;

  beforeEach(() => {
    now = right!;
    replaceBeforeWrapping = undefined;
    checks = [];
    const kek = {
      currentId: () => now.currentId(),
      wrap: (bytes: Buffer, context: string) => {
        now = replaceBeforeWrapping ?? now;
        return now.wrap(bytes, context);
      },
      unwrap: (bytes: Buffer, context: string) => now.unwrap(bytes, context),
      isDue: (bytes: Buffer) => now.isDue(bytes),
    };
    const check = (): Promise<void> => {
      checks.push(now);
      return now === wrong ? Promise.reject(new Error('it does not fit')) : Promise.resolve();
    };
    checked = new CheckedKek(kek, { check, hasVersion: () => Promise.resolve(false) });
  });

  it('checks before the first version is requested, and again with each other version', async () => {
    expect(await checked.version()).toBe(await right!.currentId());
    expect(await checked.version()).toBe(await right!.currentId());
    now = new LocalKeyEncryptionKey([randomBytes(32)]);
    await checked.version();
    expect(checks).toEqual([right, right, now]);
    now = wrong!;
    await expect(checked.version()).rejects.toThrow('it does not fit');
    await expect(checked.version()).rejects.toThrow('it does not fit');
  });

  it('returns nothing that a version has wrapped which replaced the checked one after the check', async () => {
    replaceBeforeWrapping = wrong;
    await expect(checked.wrap(plain, 'client 1')).rejects.toThrow('it does not fit');
    now = right!;
    replaceBeforeWrapping = new LocalKeyEncryptionKey([randomBytes(32)]);
    const wrapped = await checked.wrap(plain, 'client 1');
    expect(checks.at(-1)).toBe(replaceBeforeWrapping);
    expect(kekIdOf(wrapped)).toBe(await replaceBeforeWrapping.currentId());
    expect(await now.unwrap(wrapped, 'client 1')).toEqual(plain);
  });
});
