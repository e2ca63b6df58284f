import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalKeyEncryptionKey } from './local-key-encryption-key';
import { UnsealingError } from './sealing';
import { kekIdOf } from './wrapping-key';

describe('LocalKeyEncryptionKey', () => {
  const old = randomBytes(32);
  const fresh = randomBytes(32);
  const plain = randomBytes(32);
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-keys-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function fromFileWith(content: string | Buffer): Promise<LocalKeyEncryptionKey> {
    const path = join(folder, randomBytes(6).toString('hex'));
    await writeFile(path, content, { mode: 0o600 });
    return LocalKeyEncryptionKey.fromFile(path);
  }

  it('unwraps a key with the context of its wrapping only', async () => {
    const kek = new LocalKeyEncryptionKey([fresh]);
    const wrapped = await kek.wrap(plain, 'client 1');
    expect(await kek.unwrap(wrapped, 'client 1')).toEqual(plain);
    await expect(kek.unwrap(wrapped, 'client 2')).rejects.toThrow(UnsealingError);
    await expect(kek.unwrap(Buffer.alloc(3), 'client 1')).rejects.toThrow(UnsealingError);
  });

  it('reads a file of raw bytes or of base64 lines', async () => {
    const raw = await fromFileWith(fresh);
    const text = await fromFileWith(
      `# rotated in spring\n${old.toString('base64')}\n\n${fresh.toString('base64url')}\n`,
    );
    expect(await text.currentId()).toBe(await raw.currentId());
    expect(await text.unwrap(await raw.wrap(plain, 'c'), 'c')).toEqual(plain);
  });

  it('wraps with the newest version and unwraps with all after a rotation', async () => {
    const before = new LocalKeyEncryptionKey([old]);
    const after = new LocalKeyEncryptionKey([old, fresh]);
    const wrapped = await before.wrap(plain, 'c');
    expect(await after.unwrap(wrapped, 'c')).toEqual(plain);
    expect(await after.isDue(wrapped)).toBe(true);
    const again = await after.wrap(plain, 'c');
    expect(await after.isDue(again)).toBe(false);
    expect(kekIdOf(again)).toBe(await after.currentId());
    await expect(before.unwrap(again, 'c')).rejects.toThrow(/not known/);
  });

  it('leaves alone what a later version has wrapped that is not yet in use here', async () => {
    const wrapped = await new LocalKeyEncryptionKey([old, fresh]).wrap(plain, 'c');
    const behind = new LocalKeyEncryptionKey([old, fresh], 0);
    expect(await behind.unwrap(wrapped, 'c')).toEqual(plain);
    expect(await behind.isDue(wrapped)).toBe(false);
    expect(await behind.isDue(await behind.wrap(plain, 'c'))).toBe(false);
    expect(await behind.isDue(await new LocalKeyEncryptionKey([randomBytes(32)]).wrap(plain, 'c'))).toBe(true);
  });

  it('refuses files without a valid key', async () => {
    await expect(fromFileWith('')).rejects.toThrow(RangeError);
    await expect(fromFileWith('short\n')).rejects.toThrow(RangeError);
    await expect(fromFileWith(`${old.toString('base64')} and more\n`)).rejects.toThrow(RangeError);
  });
});
