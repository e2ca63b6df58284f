import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalKeyEncryptionKey } from './local-key-encryption-key';
import { UnsealingError } from './sealing';

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
    expect(text.id).toBe(raw.id);
    expect(await text.unwrap(await raw.wrap(plain, 'c'), 'c')).toEqual(plain);
  });

  it('wraps with the newest version and unwraps with all after a rotation', async () => {
    const before = new LocalKeyEncryptionKey([old]);
    const after = new LocalKeyEncryptionKey([old, fresh]);
    const wrapped = await before.wrap(plain, 'c');
    expect(await after.unwrap(wrapped, 'c')).toEqual(plain);
    expect(after.isCurrent(wrapped)).toBe(false);
    const again = await after.wrap(plain, 'c');
    expect(after.isCurrent(again)).toBe(true);
    await expect(before.unwrap(again, 'c')).rejects.toThrow(/not in the key file/);
  });

  it('refuses files without a valid key', async () => {
    await expect(fromFileWith('')).rejects.toThrow(RangeError);
    await expect(fromFileWith('short\n')).rejects.toThrow(RangeError);
    await expect(fromFileWith(`${old.toString('base64')} and more\n`)).rejects.toThrow(RangeError);
  });
});
