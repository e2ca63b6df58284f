import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@tributary/service-kit';
import { type TestDatabase, createDatabase } from '@tributary/test-environment';
import { vaultConfig } from '../config';
import { openServiceDatabase } from './open-database';

describe('the schema', () => {
  const folder = mkdtempSync(join(tmpdir(), 'schema-'));
  const keyFile = join(folder, 'kek');
  writeFileSync(keyFile, randomBytes(32).toString('base64'));
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());
  afterAll(() => rmSync(folder, { recursive: true }));

  const open = (): ReturnType<typeof openServiceDatabase> =>
    openServiceDatabase(
      readConfig(vaultConfig, { DATABASE_URL: database.url, KEY_ENCRYPTION_KEY_FILE: keyFile, SANDBOX_MODE: 'true' }),
    );

  it('is removed by undoing all migrations, and created again', async () => {
    const { database: source } = await open();
    const migrations = source.migrations.length;
    for (let undone = 0; undone < migrations; undone++) await source.undoLastMigration();
    const left = `SELECT relname FROM pg_class WHERE relnamespace = 'user_management'::regnamespace AND relkind IN ('r', 'S') AND relname !~ '^migration'`;
    expect(await source.query(left)).toEqual([]);
    expect(
      await source.query(`SELECT proname FROM pg_proc WHERE pronamespace = 'user_management'::regnamespace`),
    ).toEqual([]);
    await source.destroy();
    const again = await open();
    expect(await again.database.query('SELECT count(*)::int AS migrations FROM migration')).toEqual([{ migrations }]);
    await again.database.destroy();
  });

  it('ties the data key of a user to the row of the user', async () => {
    const { database: source, keys } = await open();
    await expect(keys.ofUser(1)).rejects.toThrow('not active');
    await source.query(
      `INSERT INTO service_user (service_user_id, client_id, state, app_user_id_sealed, app_user_id_blind_index) VALUES (1, 'one', 'active', 'x', 'x')`,
    );
    await keys.ofUser(1);
    await keys.ofClient('one');
    const scopes = (): Promise<unknown> => source.query('SELECT scope FROM data_key ORDER BY scope');
    expect(await scopes()).toEqual([{ scope: 'client-one' }, { scope: 'user-1' }]);
    await source.query('DELETE FROM service_user');
    expect(await scopes()).toEqual([{ scope: 'client-one' }]);
    await source.destroy();
  });
});
