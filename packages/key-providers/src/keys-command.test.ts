import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunSql, ScopedKeys } from '@tributary/key-vault';
import { type KeyServiceDouble } from '../test/key-service-double';
import { startVaultDouble } from '../test/vault-double';
import { type KeyDatabase, type Replica, createKeyDatabase, wrappingKeyTable } from '../test/wrapping-key-database';
import { keysCommand } from './keys-command';

const folder = mkdtempSync(join(tmpdir(), 'keys-command-'));
const base64Key = (): string => `${randomBytes(32).toString('base64')}\n`;
let database: KeyDatabase;
let service: KeyServiceDouble;
beforeEach(async () => {
  [database, service] = await Promise.all([createKeyDatabase(), startVaultDouble()]);
});
afterEach(() => Promise.all([database.drop(), service.close()]));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command in a process of its own. */
async function command(
  environment: Record<string, string>,
  words: string,
  keysOf: (replica: Replica) => ScopedKeys = ({ keys }) => keys,
): Promise<{ status: number; lines: string[]; json: Record<string, unknown> }> {
  const replica = await database.replica(environment);
  const lines: string[] = [];
  let status = 0;
  const keys = keysCommand({
    withKeyring: (work) => work({ service: 'the-service', kek: replica.kek, keys: keysOf(replica) }),
    print: (line) => lines.push(line),
    report: () => undefined,
    setExitStatus: (set) => (status = set),
  });
  for (const each of [keys, ...keys.commands]) each.exitOverride().configureOutput({ writeErr: () => undefined });
  await keys.parseAsync(words.split(' '), { from: 'user' });
  return { status, lines, json: lines[0]?.startsWith('{') ? (JSON.parse(lines[0]) as Record<string, unknown>) : {} };
}

const vault = (): Record<string, string> => ({ ...service.environment, KEY_PROVIDER_KEY: service.keys[0] });
const createKeys = async (environment: Record<string, string>, count: number, prefix = 'scope'): Promise<void> => {
  const { keys } = await database.replica(environment);
  for (let n = 0; n < count; n++) await keys.keyFor(`${prefix} ${n}`);
};
const versionsOf = async (
  environment: Record<string, string>,
): Promise<{ id: string; state: string; keys: number }[]> =>
  (await command(environment, 'status --json')).json['versions'] as Awaited<ReturnType<typeof versionsOf>>;

describe('keys, with a key service', () => {
  it('rotates, reports, and retires the version that wraps nothing any more', async () => {
    await createKeys(vault(), 5);
    const [old] = await versionsOf(vault());
    expect(old).toMatchObject({ state: 'current', keys: 5 });
    await expect(command(vault(), `retire ${old!.id}`)).rejects.toThrow(
      `5 keys may be wrapped by ${old!.id}: run keys rotate first`,
    );

    const rotated = await command(vault(), 'rotate --json');
    expect([rotated.status, rotated.json]).toEqual([
      0,
      expect.objectContaining({ service: 'the-service', rewrapped: 5, current: 5, unopened: 0, unopened_ids: [] }),
    ]);
    expect(await versionsOf(vault())).toMatchObject([
      { state: 'accepted', keys: 0 },
      { state: 'current', keys: 5 },
    ]);

    await expect(command(vault(), `retire ${old!.id}`)).rejects.toThrow(/less than 10 minutes old/);
    await database.run(`UPDATE ${wrappingKeyTable} SET created_at = created_at - interval '11 minutes'`, []);
    expect(await command(vault(), `retire ${old!.id}`)).toMatchObject({
      status: 0,
      lines: [expect.stringMatching(/is retired/)],
    });
    expect((await command(vault(), 'retire 0123456789abcdef')).status).toBe(2);
    expect(await versionsOf(vault())).toMatchObject([
      { id: old!.id, state: 'retired' },
      { state: 'current', keys: 5 },
    ]);
    await createKeys(vault(), 6);
  });

  it('continues a rotation that was killed, without another new version', async () => {
    await createKeys(vault(), 9);
    let updates = 0;
    const killedAfterFour = ({ kek }: Replica): ScopedKeys => {
      const run: RunSql = (sql, values) => {
        if (sql.startsWith('WITH r AS (UPDATE') && ++updates > 4) throw new Error('killed');
        return database.run(sql, values);
      };
      return new ScopedKeys({ run, kek });
    };
    await expect(command(vault(), 'rotate', killedAfterFour)).rejects.toThrow('killed');
    expect((await versionsOf(vault())).map(({ keys }) => keys)).toEqual([5, 4]);
    // A process that creates keys meanwhile uses the new version.
    await createKeys(vault(), 2, 'meanwhile');
    const { lines } = await command(vault(), 'rotate');
    expect(lines).toEqual([
      'the-service',
      '  an earlier rotation is continued',
      expect.stringMatching(/^ {2}5 rewrapped, 11 wrapped by the newest version, 0 not opened, [\d.]+ s$/),
    ]);
    expect((await versionsOf(vault())).map(({ keys }) => keys)).toEqual([0, 11]);
    await command(vault(), 'rotate --new');
    expect((await versionsOf(vault())).map(({ keys }) => keys)).toEqual([0, 0, 11]);
  });

  it('may run twice at once', async () => {
    await createKeys(vault(), 40);
    const both = await Promise.all([command(vault(), 'rotate --json'), command(vault(), 'rotate --json')]);
    expect(both.map(({ status }) => status)).toEqual([0, 0]);
    await command(vault(), 'rotate --json');
    const versions = await versionsOf(vault());
    expect(versions.at(-1)).toMatchObject({ state: 'current', keys: 40 });
    await createKeys(vault(), 40);
  });

  it('reports keys that it cannot open, and fails', async () => {
    await createKeys(vault(), 4);
    await database.run(`UPDATE data_key SET wrapped = $1, kek_id = 'ffffffffffffffff' WHERE scope = 'scope 2'`, [
      Buffer.concat([Buffer.of(1), Buffer.alloc(8, 255), randomBytes(60)]),
    ]);
    const { status, json } = await command(vault(), 'status --json');
    expect([status, json['unknown']]).toEqual([1, [{ id: 'ffffffffffffffff', keys: 1 }]]);
    const rotated = await command(vault(), 'rotate --json');
    expect([rotated.status, rotated.json]).toEqual([
      1,
      expect.objectContaining({ unopened: 1, unopened_ids: ['scope 2'] }),
    ]);
  });

  it('rotates although a wrapping key cannot be opened, and fails', async () => {
    await createKeys(vault(), 2);
    const [lost] = await versionsOf(vault());
    await command(vault(), 'rotate');
    await database.run(`UPDATE ${wrappingKeyTable} SET wrapped = $1, provider_version = '0' WHERE key_id = $2`, [
      randomBytes(60),
      lost!.id,
    ]);
    const rotated = await command(vault(), 'rotate --new --json');
    expect([rotated.status, rotated.json]).toEqual([
      1,
      expect.objectContaining({
        steps: [expect.stringMatching(/is new and wraps from now on$/)],
        failed: [expect.stringMatching(`^the wrapping key ${lost!.id} cannot be opened, and stays as it is: `)],
        rewrapped: 2,
        unopened: 0,
      }),
    ]);
    expect((await command(vault(), 'rotate')).lines).toContainEqual(expect.stringContaining(`${lost!.id} cannot be`));
    await database.run(`UPDATE ${wrappingKeyTable} SET created_at = created_at - interval '11 minutes'`, []);
    await command(vault(), `retire ${lost!.id}`);
    expect((await command(vault(), 'rotate')).status).toBe(0);
  });

  it('makes another version when the current one cannot be opened', async () => {
    await createKeys(vault(), 2);
    const { kek } = await database.replica(vault());
    await kek.rotate(false);
    await database.run(`UPDATE ${wrappingKeyTable} SET wrapped = $1 WHERE key_id = $2`, [
      randomBytes(60),
      await kek.currentId(),
    ]);
    await expect(command(vault(), 'rotate')).rejects.toThrow(
      /nothing is wrapped until keys rotate --new makes another/,
    );
    expect(await command(vault(), 'rotate --new --json')).toMatchObject({ status: 0, json: { rewrapped: 2 } });
    expect((await versionsOf(vault())).map(({ keys }) => keys)).toEqual([0, 0, 2]);
  });

  it('changes nothing with a wrong key', async () => {
    await createKeys(vault(), 2);
    const wrong = { ...service.environment, KEY_PROVIDER_KEY: service.keys[1] };
    for (const words of ['rotate', 'rotate --new', 'retire 0123456789abcdef'])
      await expect(command(wrong, words)).rejects.toThrow(/opens none of the keys/);
    expect(await versionsOf(vault())).toMatchObject([{ state: 'current', keys: 2 }]);
  });
});

describe('keys, with a key file', () => {
  let path: string;
  let file: Record<string, string>;
  let files = 0;
  const now = Date.now();
  beforeEach(() => {
    path = join(folder, `kek-${files++}`);
    writeFileSync(path, base64Key(), { mode: 0o600 });
    utimesSync(path, now / 1000 - 3600, now / 1000 - 3600);
    file = { KEY_PROVIDER: 'file', KEY_ENCRYPTION_KEY_FILE: path };
  });

  it('waits until the new key is in use everywhere, then rewraps, then says which line is to be removed', async () => {
    await createKeys(file, 3);
    const [old] = await versionsOf(file);
    const fileIs = (seconds: number): void => utimesSync(path, now / 1000 - seconds, now / 1000 - seconds);
    await expect(command(file, `retire ${old!.id}`)).rejects.toThrow(/run keys rotate first/);
    appendFileSync(path, base64Key());
    utimesSync(path, now / 1000, now / 1000);
    const activation = { ...file, SECRET_ACTIVATION_SECONDS: '80000' };
    await expect(command(activation, 'rotate')).rejects.toThrow(/^the last key of the key file is used in \d+ s/);
    expect(await versionsOf(activation)).toMatchObject([
      { state: 'current', keys: 3 },
      { state: 'waiting', keys: 0, used_in_seconds: expect.any(Number) },
    ]);
    const rotated = { ...file, SECRET_ACTIVATION_SECONDS: '0' };
    expect((await command(rotated, 'rotate --json')).json).toMatchObject({ rewrapped: 3, current: 3 });
    // A replica that got the file late may still wrap by the old key.
    const late = { ...file, SECRET_ACTIVATION_SECONDS: '1000' };
    fileIs(3000);
    await expect(command(late, `retire ${old!.id}`)).rejects.toThrow(
      /^a replica that has read the key file late may still wrap by the key 1 of the key file: run this command again in \d+ s$/,
    );
    await expect(command(file, `retire ${old!.id}`)).resolves.toBeDefined();
    fileIs(0);
    await expect(command(rotated, `retire ${old!.id}`)).rejects.toThrow(/run this command again in \d+ s$/);
    fileIs(3600);
    expect((await command(rotated, `retire ${old!.id}`)).lines).toEqual([
      expect.stringMatching(/key 1 of the key file has wrapped no stored key: remove its line/),
    ]);
    const [, fresh] = await versionsOf(rotated);
    await expect(command(rotated, `retire ${fresh!.id}`)).rejects.toThrow(/run keys rotate first/);
    expect((await command(rotated, 'retire 0123456789abcdef')).status).toBe(2);
  });

  it.each([
    ['restore', "unknown command 'restore'"],
    ['retire', "missing required argument 'id'"],
    ['status now', 'too many arguments'],
    ['status --unknown', "unknown option '--unknown'"],
  ])('refuses %s', async (words, message) => {
    await expect(command(file, words)).rejects.toThrow(message);
  });
});
