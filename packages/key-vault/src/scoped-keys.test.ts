import { randomBytes } from 'node:crypto';
import { DataKey } from './data-key';
import type { KeyEncryptionKey } from './key-encryption-key';
import { LocalKeyEncryptionKey } from './local-key-encryption-key';
import { type RunSql, ScopedKeys } from './scoped-keys';
import { createScopedKeys } from './key-tables';
import { createDatabase } from '@tributary/test-environment';
import { Pool } from 'pg';

describe('ScopedKeys', () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  const kek = new LocalKeyEncryptionKey([old]);
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let pool: Pool;
  const run: RunSql = async (sql, values) => (await pool.query(sql, values)).rows;

  beforeAll(async () => {
    database = await createDatabase();
    pool = new Pool({ connectionString: database.url });
    pool.on('error', () => undefined);
    await createScopedKeys(pool);
  });
  beforeEach(() => pool.query('TRUNCATE data_key'));
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('returns the same key to concurrent processes', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => new ScopedKeys({ run, kek }).keyFor('user 1')));
    expect(new Set(keys.map((key) => key.bytes().toString('hex'))).size).toBe(1);
    expect((await new ScopedKeys({ run, kek }).keyFor('user 2')).bytes()).not.toEqual(keys[0]?.bytes());
  });

  it('stores only wrapped keys', async () => {
    const key = await new ScopedKeys({ run, kek }).keyFor('user 3');
    const { rows } = await pool.query<{ wrapped: Buffer }>(`SELECT wrapped FROM data_key WHERE scope = 'user 3'`);
    expect(rows[0]?.wrapped.includes(key.bytes())).toBe(false);
  });

  it('makes sealed bytes unreadable when the key is destroyed', async () => {
    const keys = new ScopedKeys({ run, kek });
    const sealed = (await keys.keyFor('gone')).sealText('secret', 'associated data');
    await keys.destroy('gone');
    expect(() => DataKey.generate().open(sealed, 'associated data')).toThrow();
    const made = await keys.keyFor('gone');
    expect(() => made.open(sealed, 'associated data')).toThrow();
  });

  it('rewraps all keys after a rotation', async () => {
    const before = await new ScopedKeys({ run, kek }).keyFor('rotated');
    const rotated = new ScopedKeys({ run, kek: new LocalKeyEncryptionKey([old, fresh]) });
    expect((await rotated.rewrapAll()).rewrapped).toBeGreaterThan(0);
    expect(await rotated.rewrapAll()).toEqual({ rewrapped: 0, unopened: 0, unopenedIds: [] });
    const onlyFresh = new ScopedKeys({ run, kek: new LocalKeyEncryptionKey([fresh]) });
    expect((await onlyFresh.keyFor('rotated')).bytes()).toEqual(before.bytes());
  });

  it('leaves a key that does not unwrap unchanged, counts it, and continues', async () => {
    const scopes = Array.from({ length: 1100 }, (_, n) => `many ${n}`);
    const before = new ScopedKeys({ run, kek: new LocalKeyEncryptionKey([old]), cached: 1 });
    await Promise.all(scopes.map((scope) => before.keyFor(scope)));
    await pool.query(`UPDATE data_key SET wrapped = $1 WHERE scope IN ('many 3', 'many 700')`, [randomBytes(69)]);
    const rotated = new ScopedKeys({ run, kek: new LocalKeyEncryptionKey([old, fresh]) });
    const { rewrapped, unopened, unopenedIds } = await rotated.rewrapAll();
    expect([rewrapped >= 1098, unopened, unopenedIds.toSorted()]).toEqual([true, 2, ['many 3', 'many 700']]);
    await expect(
      new ScopedKeys({ run, kek: new LocalKeyEncryptionKey([fresh]) }).keyFor('many 1099'),
    ).resolves.toBeDefined();
  });

  it('reads only keys of other versions', async () => {
    const rotated = new LocalKeyEncryptionKey([old, fresh]);
    const keys = new ScopedKeys({ run, kek: rotated });
    await Promise.all(Array.from({ length: 30 }, (_, n) => keys.keyFor(`current ${n}`)));
    await keys.rewrapAll();
    // As it was stored before the version was noted.
    await pool.query(`UPDATE data_key SET kek_id = '' WHERE scope = 'current 7'`);
    const read: number[] = [];
    const counting: RunSql = async (sql, values) => {
      const rows = (await run(sql, values)) as unknown[];
      if (sql.startsWith('SELECT')) read.push(rows.length);
      return rows;
    };
    const counted = new ScopedKeys({ run: counting, kek: rotated });
    expect(await counted.rewrapAll()).toEqual({ rewrapped: 0, unopened: 0, unopenedIds: [] });
    expect(read).toEqual([1, 0]);
    await counted.rewrapAll();
    expect(read).toEqual([1, 0, 0, 0]);
  });

  it('rewraps a key on use after a rotation', async () => {
    const before = await new ScopedKeys({ run, kek }).keyFor('used');
    await new ScopedKeys({ run, kek: new LocalKeyEncryptionKey([old, fresh]) }).keyFor('used');
    expect((await new ScopedKeys({ run, kek: new LocalKeyEncryptionKey([fresh]) }).keyFor('used')).bytes()).toEqual(
      before.bytes(),
    );
  });

  it('detects a key-encryption key that wrapped none of the keys', async () => {
    await new ScopedKeys({ run, kek }).keyFor('noticed');
    const kekOf = (...keys: Buffer[]): ScopedKeys => new ScopedKeys({ run, kek: new LocalKeyEncryptionKey(keys) });
    await expect(kekOf(randomBytes(32)).assertKekMatches()).rejects.toThrow(/opens none of the keys in data_key/);
    await expect(kekOf(old, fresh, randomBytes(32)).assertKekMatches()).resolves.toBeUndefined();
  });

  it('creates no key before the key-encryption key has unwrapped a stored one', async () => {
    await new ScopedKeys({ run, kek }).keyFor('present');
    const wrong = new ScopedKeys({ run, kek: new LocalKeyEncryptionKey([randomBytes(32)]) });
    await expect(wrong.keyFor('never created')).rejects.toThrow(/opens none of the keys in data_key/);
    await expect(wrong.keyFor('never created')).rejects.toThrow(/opens none of the keys in data_key/);
    expect((await pool.query(`SELECT FROM data_key WHERE scope = 'never created'`)).rowCount).toBe(0);
  });

  /** A key-encryption key that delegates to this one, except for some methods. */
  const kekWith = (source: () => KeyEncryptionKey, replaced: Partial<KeyEncryptionKey>): KeyEncryptionKey => ({
    currentId: () => source().currentId(),
    wrap: (plain, context) => source().wrap(plain, context),
    unwrap: (wrapped, context) => source().unwrap(wrapped, context),
    isDue: (wrapped) => source().isDue(wrapped),
    ...replaced,
  });

  it('returns a stored key that cannot be rewrapped now', async () => {
    const before = await new ScopedKeys({ run, kek }).keyFor('readable');
    const unavailable = (): Promise<never> => Promise.reject(new Error('the key service is unavailable'));
    const rotated = new LocalKeyEncryptionKey([old, fresh]);
    for (const replaced of [{ isDue: unavailable }, { wrap: unavailable }, { currentId: unavailable }])
      expect((await new ScopedKeys({ run, kek: kekWith(() => rotated, replaced) }).keyFor('readable')).bytes()).toEqual(
        before.bytes(),
      );
    const readOnly: RunSql = (sql, values) =>
      sql.startsWith('SELECT') ? run(sql, values) : Promise.reject(new Error('the database is read-only'));
    expect((await new ScopedKeys({ run: readOnly, kek: rotated }).keyFor('readable')).bytes()).toEqual(before.bytes());
  });

  it.each(['currentId', 'wrap'] as const)(
    'wraps nothing by a wrong key that takes the place of the right one just before %s',
    async (method) => {
      await new ScopedKeys({ run, kek }).keyFor('present');
      const wrong = new LocalKeyEncryptionKey([randomBytes(32)]);
      let source = kek;
      const replacedBefore = <T>(call: () => T): T => {
        source = wrong;
        return call();
      };
      const changing = kekWith(() => source, {
        currentId: () => (method === 'currentId' ? replacedBefore(() => source.currentId()) : source.currentId()),
        wrap: (plain, context) =>
          method === 'wrap' ? replacedBefore(() => source.wrap(plain, context)) : source.wrap(plain, context),
      });
      await expect(new ScopedKeys({ run, kek: changing }).keyFor('created')).rejects.toThrow(/opens none of the keys/);
      expect((await pool.query(`SELECT FROM data_key WHERE scope = 'created'`)).rowCount).toBe(0);
    },
  );

  it('refuses table names that are not plain identifiers', () => {
    expect(() => new ScopedKeys({ run, kek, table: 'x; DROP TABLE y' })).toThrow(RangeError);
  });
});
