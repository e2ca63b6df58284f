import { randomBytes } from 'node:crypto';
import { DataKey } from './data-key';
import { LocalKeyEncryptionKey } from './local-key-encryption-key';
import { type RunSql, ScopedKeys } from './scoped-keys';
import { scopedKeysMigration } from './scoped-keys-migration';
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
    const migration = new (scopedKeysMigration(1_763_700_000_000))();
    await migration.up(pool);
    await migration.down(pool);
    await migration.up(pool);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('gives every process the same key, also when all ask at once', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => new ScopedKeys({ run, kek }).keyFor('user 1')));
    expect(new Set(keys.map((key) => key.bytes().toString('hex'))).size).toBe(1);
    expect(await new ScopedKeys({ run, kek }).keyFor('user 2')).not.toEqual(keys[0]);
  });

  it('keeps the keys wrapped', async () => {
    const key = await new ScopedKeys({ run, kek }).keyFor('user 3');
    const { rows } = await pool.query<{ wrapped: Buffer }>(`SELECT wrapped FROM data_key WHERE scope = 'user 3'`);
    expect(rows[0]?.wrapped.includes(key.bytes())).toBe(false);
  });

  it('makes what was sealed unreadable once the key is forgotten', async () => {
    const keys = new ScopedKeys({ run, kek });
    const sealed = (await keys.keyFor('gone')).sealText('secret', 'place');
    await keys.forget('gone');
    expect(() => DataKey.generate().open(sealed, 'place')).toThrow();
    expect(() => keys.keyFor('gone').then((key) => key.open(sealed, 'place'))).rejects.toThrow();
  });

  it('wraps all keys anew after a rotation', async () => {
    const before = await new ScopedKeys({ run, kek }).keyFor('rotated');
    const rotated = new ScopedKeys({ run, kek: new LocalKeyEncryptionKey([old, fresh]) });
    expect(await rotated.rewrapAll()).toBeGreaterThan(0);
    expect(await rotated.rewrapAll()).toBe(0);
    const onlyFresh = new ScopedKeys({ run, kek: new LocalKeyEncryptionKey([fresh]) });
    expect((await onlyFresh.keyFor('rotated')).bytes()).toEqual(before.bytes());
  });

  it('wraps a key anew when it is asked for after a rotation', async () => {
    const before = await new ScopedKeys({ run, kek }).keyFor('used');
    await new ScopedKeys({ run, kek: new LocalKeyEncryptionKey([old, fresh]) }).keyFor('used');
    expect((await new ScopedKeys({ run, kek: new LocalKeyEncryptionKey([fresh]) }).keyFor('used')).bytes()).toEqual(before.bytes());
  });

  it('puts no odd table name into SQL', () => {
    expect(() => new ScopedKeys({ run, kek, table: 'x; DROP TABLE y' })).toThrow(RangeError);
  });
});
