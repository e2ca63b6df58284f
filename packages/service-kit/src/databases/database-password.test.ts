import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestRole, createDatabase, createRole } from '@tributary/test-environment';
import pg from 'pg';
import { asHttpError, describeError } from '../api/handle-errors';
import { databaseConfig } from '../config/database-config';
import { readConfig } from '../config/read-config';
import { openDatabase, openPool } from './database';
import { DatabasePassword } from './database-password';
import { openClient } from './pool-options';

describe('DatabasePassword', () => {
  const secret = (...accepted: string[]) => ({ accepted, current: accepted.at(-1) as string });

  it('is the newest one, and after a refusal another one', () => {
    const password = new DatabasePassword(secret('one', 'two', 'three'));
    expect(password.current).toBe('three');
    password.wasRefused('three');
    expect(password.current).toBe('two');
    password.wasRefused('two');
    expect(password.current).toBe('one');
    password.wasValid('one');
    expect(password.current).toBe('one');
  });

  it('tries each again after all were refused, because a role may have been altered meanwhile', () => {
    const password = new DatabasePassword(secret('one', 'two'));
    for (const refused of ['two', 'one', 'two']) {
      expect(password.current).toBe(refused);
      password.wasRefused(refused);
    }
    expect(password.current).toBe('one');
  });

  it('does not give up the valid one for the refusal of another one, as of a connection that began earlier', () => {
    const password = new DatabasePassword(secret('one', 'two'));
    password.wasRefused('one');
    password.wasRefused('one');
    expect(password.current).toBe('two');
  });
});

describe('the password of a database', () => {
  let folder: string;
  let file: string;
  let role: TestRole;
  let administrator: pg.Client;
  let drop: () => Promise<void>;
  const passwords = ['the first password', 'the second password', 'the third password'] as const;

  const write = (...lines: string[]): void => {
    writeFileSync(`${file}.new`, lines.join('\n'));
    renameSync(`${file}.new`, file);
  };
  const alterRole = (password: string): Promise<unknown> =>
    administrator.query(`ALTER ROLE ${pg.escapeIdentifier(new URL(role.url).username)} PASSWORD '${password}'`);
  const config = (settings: Record<string, string> = {}) => {
    const url = Object.assign(new URL(role.url), { password: '' }).href;
    return readConfig(databaseConfig, {
      SANDBOX_MODE: 'true',
      DATABASE_URL: url,
      DATABASE_PASSWORD_FILE: file,
      ...settings,
    });
  };

  beforeEach(async () => {
    const database = await createDatabase();
    role = await createRole(database, 'kit');
    drop = async () => {
      await administrator.end();
      await database.drop();
      await role.drop();
    };
    administrator = new pg.Client({ connectionString: database.url });
    await administrator.connect();
    folder = mkdtempSync(join(tmpdir(), 'password-'));
    file = join(folder, 'password');
    await alterRole(passwords[0]);
    write(passwords[0]);
  });
  afterEach(async () => {
    await drop();
    rmSync(folder, { recursive: true });
  });

  it('is replaced under load without a failed statement', async () => {
    const pool = openPool(config({ DATABASE_POOL_SIZE: '4' }), 'kit');
    let isOver = false;
    let statements = 0;
    const failures: unknown[] = [];
    const load = Array.from({ length: 6 }, async () => {
      while (!isOver) {
        // Each statement ends with its connection, so that each needs another one.
        const client = await pool.connect().catch((error: unknown) => void failures.push(error));
        if (!client) continue;
        await client.query('SELECT 1').catch((error: unknown) => failures.push(error));
        client.release(true);
        statements++;
      }
    });
    const untilFurther = async (): Promise<void> => {
      const before = statements;
      while (statements < before + 20) await administrator.query('SELECT 1');
    };
    await untilFurther();
    write(passwords[0], passwords[1]);
    await untilFurther();
    await alterRole(passwords[1]);
    await untilFurther();
    write(passwords[1]);
    await untilFurther();
    // Both at once: no process has looked at the file since.
    write(passwords[1], passwords[2]);
    await alterRole(passwords[2]);
    await untilFurther();
    isOver = true;
    await Promise.all(load);
    expect(failures).toEqual([]);
    await pool.end();
  });

  it('is found by a process that starts meanwhile, by whatever it connects with', async () => {
    for (const valid of passwords) {
      await alterRole(valid);
      write(...passwords);
      const pool = openPool(config(), 'kit');
      expect((await pool.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
      await pool.end();
      const client = await openClient(config(), {});
      await client.end();
      const source = await openDatabase({ database: config(), schema: 'kit', entities: [], migrations: [] });
      expect(await source.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await source.destroy();
    }
  });

  it('is unavailable while no value is valid, and is tried again', async () => {
    await alterRole('another password');
    write(passwords[0]);
    const pool = openPool(config(), 'kit');
    const failure: unknown = await pool.query('SELECT 1').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: '28P01' });
    expect(asHttpError(failure, false)).toMatchObject({ status: 503, headers: { 'Retry-After': expect.anything() } });
    const described = describeError(failure);
    expect(described).toMatchObject({ code: '28P01', message: 'PostgreSQL refused the password of the role' });
    expect(JSON.stringify(described)).not.toContain(passwords[0]);
    await alterRole(passwords[0]);
    expect((await pool.query<{ one: number }>('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
  });
});
