import { randomBytes } from 'node:crypto';
import { LocalKeyEncryptionKey, ScopedKeys } from '@tributary/key-vault';
import { openDatabase } from '@tributary/service-kit';
import { type TestDatabase, createDatabase } from '@tributary/test-environment';
import type { DataSource } from 'typeorm';
import { CreateSchema1763700000001 } from '../database/create-schema-migration';
import { DataKeys } from '../database/data-keys';
import { SigningKeys, signingKeyEntity } from './signing-keys';

describe('the signing keys of our client', () => {
  let database: TestDatabase;
  let source: DataSource;
  let keys: SigningKeys;
  const published: string[] = [];
  beforeAll(async () => {
    database = await createDatabase();
    source = await openDatabase({
      database: database.url,
      schema: 'user_management',
      entities: [signingKeyEntity],
      migrations: [CreateSchema1763700000001],
    });
    keys = new SigningKeys(
      source,
      new DataKeys(
        new ScopedKeys({
          run: (sql, values) => source.query(sql, values),
          kek: new LocalKeyEncryptionKey([randomBytes(32)]),
        }),
      ),
      (keyIds) => published.push(...keyIds),
    );
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });
  const kids = async (): Promise<string[]> => (await keys.jwkSet()).keys.map(({ kid }) => String(kid));

  it('are created once by concurrent requests', async () => {
    await Promise.all([keys.jwkSet(), keys.current('RS384'), keys.current('ES384'), keys.maintain()]);
    expect(await kids()).toHaveLength(2);
    expect(published.toSorted()).toEqual((await kids()).toSorted());
    expect((await keys.current('ES384')).privateKey.asymmetricKeyType).toBe('ec');
  });

  it('are replaced by keys that are published a day before they sign, and stay published a week longer', async () => {
    const before = await kids();
    const { kid } = await keys.current('ES384');
    const age = (days: number): Promise<unknown> =>
      source.query(
        "UPDATE user_management.signing_key SET created_at = created_at - $1 * interval '1 day', signs_from = signs_from - $1 * interval '1 day'",
        [days],
      );
    await age(91);
    const during = await kids();
    expect(during).toHaveLength(4);
    expect(during).toEqual(expect.arrayContaining(before));
    expect((await keys.current('ES384')).kid).toBe(kid);
    await age(2);
    const { kid: next } = await keys.current('ES384');
    expect(next).not.toBe(kid);
    expect(await kids()).toHaveLength(4);
    await age(7);
    const after = await kids();
    expect(after).toHaveLength(2);
    expect(after).toContain(next);
    expect(after).not.toContain(kid);
  });

  it('are replaced at once after a leak', async () => {
    await keys.rotate();
    const before = await kids();
    await keys.replace();
    const after = await kids();
    expect(after).toHaveLength(2);
    expect(after.filter((kid) => before.includes(kid))).toEqual([]);
    for (const algorithm of ['RS384', 'ES384'] as const) expect(after).toContain((await keys.current(algorithm)).kid);
  });

  it('are of one kind after replacements that overlap', async () => {
    await Promise.all([keys.replace(), keys.replace(), keys.maintain()]);
    expect(await kids()).toHaveLength(2);
  });
});
