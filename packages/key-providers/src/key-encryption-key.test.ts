import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnsealingError, kekIdOf } from '@tributary/key-vault';
import { isDependencyUnavailable } from '@tributary/service-kit';
import { testCertificate } from '@tributary/test-environment';
import { type KeyDatabase, createKeyDatabase, wrappingKeyTable } from '../test/wrapping-key-database';
import type { KeyServiceDouble } from '../test/key-service-double';
import { keyServiceDoubles, keyServices } from '../test/sources';
import { KeyServiceError } from './key-service';

const plain = randomBytes(32);
const folder = mkdtempSync(join(tmpdir(), 'key-encryption-key-'));
afterAll(() => rmSync(folder, { recursive: true }));

function keyFile(...keys: Buffer[]): string {
  const path = join(folder, randomBytes(6).toString('hex'));
  writeFileSync(path, keys.map((key) => `${key.toString('base64')}\n`).join(''), { mode: 0o600 });
  return path;
}

let database: KeyDatabase;
beforeAll(async () => {
  database = await createKeyDatabase();
});
beforeEach(() => database.clear());
afterAll(() => database.drop());

const count = async (table: string): Promise<number> =>
  ((await database.run(`SELECT count(*)::int AS count FROM ${table}`, [])) as [{ count: number }])[0].count;

/** What each source of the key-encryption key is, and how the operator makes a new version. */
interface Source {
  environment: Record<string, string>;
  /** The same with another key. */
  other: Record<string, string>;
  /** What the operator does before `rotate`. */
  prepareRotation(): void;
  close(): Promise<void> | void;
}

function fromFile(): Promise<Source> {
  const path = keyFile(randomBytes(32));
  const settings = { KEY_PROVIDER: 'file', SECRET_ACTIVATION_SECONDS: '0' };
  return Promise.resolve({
    environment: { ...settings, KEY_ENCRYPTION_KEY_FILE: path },
    other: { ...settings, KEY_ENCRYPTION_KEY_FILE: keyFile(randomBytes(32)) },
    prepareRotation: () => appendFileSync(path, `${randomBytes(32).toString('base64')}\n`),
    close: () => undefined,
  });
}

function fromService(start: () => Promise<KeyServiceDouble>): () => Promise<Source> {
  return async () => {
    const service = await start();
    const [key, another] = service.keys;
    return {
      environment: { ...service.environment, KEY_PROVIDER_KEY: key },
      other: { ...service.environment, KEY_PROVIDER_KEY: another },
      prepareRotation: () => undefined,
      close: () => service.close(),
    };
  };
}

/** SDKs read their credentials from the environment of the process. */
function useEnvironment(environment: Readonly<Record<string, string>>): () => void {
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, environment);
  return () => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  };
}

describe.each([
  ['file', fromFile] as const,
  ...keyServices.map(([name, start]) => [name, fromService(start)] as const),
])('the key-encryption key of %s', (_name, open) => {
  let source: Source;
  let restoreEnvironment: () => void;
  beforeEach(async () => {
    source = await open();
    restoreEnvironment = useEnvironment(source.environment);
  });
  afterEach(async () => {
    restoreEnvironment();
    await source.close();
  });

  it('unwraps what another replica has wrapped, with the same context only', async () => {
    const [one, other] = await Promise.all([source, source].map(({ environment }) => database.replica(environment)));
    const wrapped = await Promise.all([one!.kek.wrap(plain, 'client 1'), other!.kek.wrap(plain, 'client 1')]);
    for (const each of wrapped)
      for (const { kek } of [one!, other!]) {
        expect(await kek.unwrap(each, 'client 1')).toEqual(plain);
        await expect(kek.unwrap(each, 'client 2')).rejects.toThrow(UnsealingError);
      }
    const altered = Buffer.from(wrapped[0]!);
    altered[altered.length - 1]! ^= 1;
    await expect(one!.kek.unwrap(altered, 'client 1')).rejects.toThrow(UnsealingError);
    expect((await one!.kek.versions()).filter(({ state }) => state === 'current')).toHaveLength(1);
  });

  it('detects that it is the wrong one, and wraps nothing', async () => {
    const { keys } = await database.replica(source.environment);
    await keys.keyFor('stored');
    const wrong = await database.replica(source.other);
    await expect(wrong.keys.assertKekMatches()).rejects.toThrow(/opens none of the keys in data_key/);
    await expect(wrong.keys.keyFor('stored')).rejects.toThrow();
    await expect(wrong.keys.keyFor('never created')).rejects.toThrow(/opens none of the keys in data_key/);
    expect([await count('data_key'), await count(wrappingKeyTable)]).toEqual([
      1,
      'KEY_PROVIDER_KEY' in source.other ? 1 : 0,
    ]);
  });

  it('is rotated while replicas use it: what one wraps, all unwrap', async () => {
    const [one, other] = [await database.replica(source.environment), await database.replica(source.environment)];
    const before = await one.keys.keyFor('before');
    const old = await other.kek.currentId();
    source.prepareRotation();
    await one.kek.rotate(false);
    const after = await one.keys.keyFor('after');
    expect(await one.kek.currentId()).not.toBe(old);
    expect((await other.keys.keyFor('after')).bytes()).toEqual(after.bytes());
    expect((await other.keys.keyFor('before')).bytes()).toEqual(before.bytes());
    await one.keys.rewrapAll();
    expect(await database.run('SELECT DISTINCT kek_id FROM data_key', [])).toEqual([
      { kek_id: await one.kek.currentId() },
    ]);
    const third = await database.replica(source.environment);
    expect((await third.keys.keyFor('before')).bytes()).toEqual(before.bytes());
    const states = (await third.kek.versions()).map(({ id, state }) => [id, state]);
    expect(states).toEqual([
      [old, 'accepted'],
      [await one.kek.currentId(), 'current'],
    ]);
  });
});

it('wraps nothing with a key file that was replaced by a wrong one while the process runs', async () => {
  const path = keyFile(randomBytes(32));
  const environment = { KEY_PROVIDER: 'file', KEY_ENCRYPTION_KEY_FILE: path };
  const running = await database.replica(environment);
  await running.keys.assertKekMatches();
  const before = await running.keys.keyFor('before');
  const right = readFileSync(path);
  writeFileSync(path, `${randomBytes(32).toString('base64')}\n`);
  await running.kek.rotate(true);
  await expect(running.keys.keyFor('never created')).rejects.toThrow(/opens none of the keys/);
  expect((await running.keys.keyFor('before')).bytes()).toEqual(before.bytes());
  expect(await count('data_key')).toBe(1);
  writeFileSync(path, right);
  await running.kek.rotate(true);
  await expect(running.keys.keyFor('created')).resolves.toBeDefined();
});

it('wraps by the last key of the file before its time when stored keys are wrapped by it', async () => {
  const [old, last] = [randomBytes(32), randomBytes(32)];
  const path = keyFile(old);
  const settings = { KEY_PROVIDER: 'file', KEY_ENCRYPTION_KEY_FILE: path };
  const rotated = await database.replica({ ...settings, SECRET_ACTIVATION_SECONDS: '0' });
  // Its file is as new as the process, as in a new container, or it was suspended when the key was appended.
  const started = await database.replica({ ...settings, SECRET_ACTIVATION_SECONDS: '80000' });
  await started.keys.keyFor('first');
  await started.keys.keyFor('second');
  appendFileSync(path, `${last.toString('base64')}\n`);
  const waiting = await database.replica({ ...settings, SECRET_ACTIVATION_SECONDS: '80000' });
  await waiting.keys.keyFor('by the old key');
  expect((await waiting.kek.versions()).map(({ state }) => state)).toEqual(['current', 'waiting']);
  await rotated.kek.rotate(false);
  await rotated.keys.keyFor('by the last key');
  const lastId = await rotated.kek.currentId();
  await waiting.keys.keyFor('created');
  expect(await waiting.kek.currentId()).toBe(lastId);
  expect(await database.run(`SELECT kek_id FROM data_key WHERE scope = 'created'`, [])).toEqual([{ kek_id: lastId }]);
  const sweeping = await database.replica({ ...settings, SECRET_ACTIVATION_SECONDS: '80000' });
  expect((await sweeping.keys.rewrapAll()).rewrapped).toBe(3);
});

describe.each(keyServices)('wrapping keys that %s wraps', (_name, start) => {
  let service: KeyServiceDouble;
  let environment: Record<string, string>;
  let restoreEnvironment: () => void;
  beforeEach(async () => {
    service = await start();
    environment = { ...service.environment, KEY_PROVIDER_KEY: service.keys[0] };
    restoreEnvironment = useEnvironment(environment);
  });
  afterEach(async () => {
    restoreEnvironment();
    await service.close();
  });
  const stored = async (): Promise<{ key_id: string; provider_key: string; provider_version: string }[]> =>
    (await database.run(
      `SELECT key_id, provider_key, provider_version FROM ${wrappingKeyTable} ORDER BY version`,
      [],
    )) as Awaited<ReturnType<typeof stored>>;

  it('are unwrapped once: data keys ask the key service nothing', async () => {
    const { keys, kek } = await database.replica(environment);
    const { keys: others } = await database.replica(environment);
    await keys.keyFor('first');
    await others.keyFor('first');
    const asked = service.requests();
    for (let n = 0; n < 20; n++) await keys.keyFor(`scope ${n}`);
    for (let n = 0; n < 20; n++) await others.keyFor(`scope ${n}`);
    expect(service.requests()).toBe(asked);
    const [{ wrapped }] = (await database.run(`SELECT wrapped FROM ${wrappingKeyTable}`, [])) as [{ wrapped: Buffer }];
    expect(kekIdOf(await kek.wrap(plain, 'c'))).toBe((await stored())[0]?.key_id);
    expect(wrapped.length).toBeGreaterThan(32);
  });

  it('are created once by replicas that start at the same time on an empty database', async () => {
    const replicas = await Promise.all([1, 2, 3, 4].map(() => database.replica(environment)));
    const keys = await Promise.all(replicas.map(({ keys }) => keys.keyFor('shared')));
    expect(new Set(keys.map((key) => key.bytes().toString('hex'))).size).toBe(1);
    const latest = (await stored()).at(-1)?.key_id;
    const afresh = await database.replica(environment);
    expect(await afresh.kek.currentId()).toBe(latest);
    expect((await afresh.keys.keyFor('shared')).bytes()).toEqual(keys[0]?.bytes());
  });

  it('keep a running service independent of the key service, which a start needs', async () => {
    const running = await database.replica(environment);
    const before = await running.keys.keyFor('before');
    service.setReachable(false);
    await running.keys.keyFor('created meanwhile');
    const starting = await database.replica(environment);
    const refusal: unknown = await starting.keys.assertKekMatches().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(KeyServiceError);
    expect((refusal as Error).message).toMatch(/^the key service [\w-]+ cannot be used with the key \S+: [^\n]+$/);
    service.setReachable(true);
    await starting.keys.assertKekMatches();
    expect((await starting.keys.keyFor('before')).bytes()).toEqual(before.bytes());
  });

  it('are not created while the key service is away, and nothing else is', async () => {
    service.setReachable(false);
    const { keys } = await database.replica(environment);
    const refusal: unknown = await keys.keyFor('scope').catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(KeyServiceError);
    expect(isDependencyUnavailable(refusal)).toBe(true);
    expect([await count('data_key'), await count(wrappingKeyTable)]).toEqual([0, 0]);
    service.setReachable(true);
    await expect(keys.keyFor('scope')).resolves.toBeDefined();
  });

  it('are not created for a key that the key service does not have', async () => {
    const unknown = service.keys[0].replace(/first|tributary$|1$/, 'unknown');
    const { keys } = await database.replica({ ...environment, KEY_PROVIDER_KEY: unknown });
    await expect(keys.keyFor('scope')).rejects.toThrow(KeyServiceError);
    expect([await count('data_key'), await count(wrappingKeyTable)]).toEqual([0, 0]);
  });

  it('are rewrapped when the key service has a new version of its key, or another key is configured', async () => {
    const { keys, kek } = await database.replica(environment);
    const before = await keys.keyFor('before');
    const [first] = await stored();
    expect(await kek.rotate(true)).toEqual({ done: [], failed: [] });
    await service.rotateKey(service.keys[0]);
    expect((await kek.rotate(true)).done).toHaveLength(1);
    const [second] = await stored();
    expect(second?.provider_version).not.toBe(first?.provider_version);
    const both = { ...environment, KEY_PROVIDER_KEY: service.keys.join(',') };
    expect((await (await database.replica(both)).kek.rotate(true)).done).toHaveLength(1);
    const onlyOther = await database.replica({ ...environment, KEY_PROVIDER_KEY: service.keys[1] });
    expect((await onlyOther.keys.keyFor('before')).bytes()).toEqual(before.bytes());
    const former = await database.replica(environment);
    await expect(former.keys.assertKekMatches()).rejects.toThrow(/opens none/);
    expect((await stored()).map(({ provider_key }) => provider_key)).toEqual([service.keys[1]]);
  });

  it('take over from a key file', async () => {
    const path = keyFile(randomBytes(32));
    const inFile = await database.replica({ KEY_PROVIDER: 'file', KEY_ENCRYPTION_KEY_FILE: path });
    const before = await inFile.keys.keyFor('before');
    const beside = await database.replica({ ...environment, KEY_ENCRYPTION_KEY_FILE: path });
    await beside.keys.assertKekMatches();
    expect((await beside.keys.rewrapAll()).rewrapped).toBe(1);
    const without = await database.replica(environment);
    expect((await without.keys.keyFor('before')).bytes()).toEqual(before.bytes());
  });

  it('are refused when they are altered or swapped with those of another table, and are not replaced', async () => {
    const { keys } = await database.replica(environment);
    await keys.keyFor('before');
    const [{ wrapped }] = (await database.run(`SELECT wrapped FROM ${wrappingKeyTable}`, [])) as [{ wrapped: Buffer }];
    const altered = Buffer.from(wrapped);
    altered[Math.floor(altered.length / 2)]! ^= 1;
    for (const bytes of [altered, randomBytes(8)]) {
      await database.run(`UPDATE ${wrappingKeyTable} SET wrapped = $1`, [bytes]);
      const { keys: refusing, kek } = await database.replica(environment);
      await expect(refusing.keyFor('before')).rejects.toThrow();
      await expect(refusing.keyFor('created')).rejects.toThrow(/opens none of the keys/);
      await expect(kek.wrap(plain, 'c')).rejects.toThrow();
    }
    expect([await count('data_key'), await count(wrappingKeyTable)]).toEqual([1, 1]);
  });

  it('are retired when a successor has wrapped for ten minutes', async () => {
    const { kek, keys } = await database.replica(environment);
    await keys.keyFor('before');
    const old = await kek.currentId();
    await expect(kek.retire(old)).rejects.toThrow(/wraps: rotate first/);
    await expect(kek.retire('0123456789abcdef')).rejects.toThrow(/there is no wrapping key/);
    await kek.rotate(false);
    await keys.rewrapAll();
    await expect(kek.retire(old)).rejects.toThrow(/less than 10 minutes old/);
    await database.run(`UPDATE ${wrappingKeyTable} SET created_at = created_at - interval '11 minutes'`, []);
    await expect(kek.retire(old)).resolves.toMatch(/is retired/);
    await expect(kek.retire(old)).resolves.toMatch(/is retired/);
    expect((await kek.versions()).map(({ id, state }) => [id, state])).toEqual([
      [old, 'retired'],
      [await kek.currentId(), 'current'],
    ]);
    const afresh = await database.replica(environment);
    await expect(afresh.keys.keyFor('before')).resolves.toBeDefined();
  });
});

it.each(keyServiceDoubles)(
  'asks %s nothing when no authority of KEY_PROVIDER_CA_FILE has issued its certificate',
  async (_name, start) => {
    const service = await start();
    const environment: Record<string, string> = { ...service.environment, KEY_PROVIDER_KEY: service.keys[0] };
    const restoreEnvironment = useEnvironment(environment);
    const { KEY_PROVIDER_CA_FILE: _caFile, ...withDefaultAuthorities } = environment;
    const otherAuthority = join(folder, 'other-authority.pem');
    writeFileSync(otherAuthority, testCertificate('another').cert);
    try {
      for (const refusing of [{ ...environment, KEY_PROVIDER_CA_FILE: otherAuthority }, withDefaultAuthorities]) {
        const { keys } = await database.replica(refusing);
        await expect(keys.keyFor('scope')).rejects.toThrow(/self[- ]signed certificate/);
      }
      expect([service.requests(), await count(wrappingKeyTable)]).toEqual([0, 0]);
      await expect((await database.replica(environment)).keys.keyFor('scope')).resolves.toBeDefined();
    } finally {
      restoreEnvironment();
      await service.close();
    }
  },
);
