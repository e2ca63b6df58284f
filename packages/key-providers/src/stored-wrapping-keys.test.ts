import { randomBytes } from 'node:crypto';
import { ScopedKeys, WrappingKey, kekIdOf } from '@tributary/key-vault';
import { type KeyDatabase, createKeyDatabase, wrappingKeyTable } from '../test/wrapping-key-database';
import { type KeyService, KeyServiceError } from './key-service';
import { StoredWrappingKeys } from './stored-wrapping-keys';

let database: KeyDatabase;
beforeEach(async () => {
  database = await createKeyDatabase();
});
afterEach(() => database.drop());

/** A key of a key service, as one process reaches it. */
class ReachedService implements KeyService {
  isReachable = true;
  unwraps = 0;

  constructor(
    private readonly wrappingKey: WrappingKey,
    readonly provider: KeyService['provider'] = 'vault-transit',
    readonly key = 'tributary',
  ) {}

  async wrap(plain: Buffer, context: string): ReturnType<KeyService['wrap']> {
    return { wrapped: this.wrappingKey.wrap(plain, context), version: await this.currentVersion() };
  }

  unwrap({ wrapped }: Parameters<KeyService['unwrap']>[0], context: string): Promise<Buffer> {
    this.unwraps++;
    return this.answer(() => this.wrappingKey.unwrap(wrapped, context));
  }

  currentVersion(): Promise<string> {
    return this.answer(() => '1');
  }

  private async answer<T>(result: () => T): Promise<T> {
    if (!this.isReachable) throw new KeyServiceError(this, 'it does not answer');
    return result();
  }
}

interface Process {
  service: ReachedService;
  kek: StoredWrappingKeys;
  keys: ScopedKeys;
}

const atService = new WrappingKey(randomBytes(32));
let now: number;
beforeEach(() => {
  now = 0;
});
function start(...services: [ReachedService, ...ReachedService[]]): Process {
  const { run } = database;
  const kek = new StoredWrappingKeys({ run, table: wrappingKeyTable, services, file: undefined, now: () => now });
  // Nothing stays in memory: each use of a key reads it from the database.
  return { service: services.at(-1) as ReachedService, kek, keys: new ScopedKeys({ run, kek, cached: 1 }) };
}

describe('a process that cannot use the key service after a rotation', () => {
  it('reads the keys that exist, and asks the key service twice a minute', async () => {
    const [running, rotating] = [start(new ReachedService(atService)), start(new ReachedService(atService))];
    const scopes = ['a', 'b', 'c', 'd'];
    const before: Buffer[] = [];
    for (const scope of scopes) before.push((await running.keys.keyFor(scope)).bytes());
    running.service.isReachable = false;
    const asked = running.service.unwraps;
    await rotating.kek.rotate(false);
    for (now of [31_000, 40_000, 50_000, 60_000]) {
      const after: Buffer[] = [];
      for (const scope of scopes) after.push((await running.keys.keyFor(scope)).bytes());
      expect(after).toEqual(before);
    }
    expect(running.service.unwraps - asked).toBe(1);
    await expect(running.keys.keyFor('never created')).rejects.toThrow(KeyServiceError);
    running.service.isReachable = true;
    now = 62_000;
    expect(await running.kek.currentId()).toBe(await rotating.kek.currentId());
    await running.keys.keyFor('a');
    expect(await database.run(`SELECT kek_id FROM data_key WHERE scope = 'a'`, [])).toEqual([
      { kek_id: await rotating.kek.currentId() },
    ]);
  });
});

it('rewraps the wrapping keys of another key service whose key has the same name', async () => {
  const [former, later] = [new ReachedService(atService), new ReachedService(atService, 'aws-kms')];
  await start(former).keys.keyFor('before');
  const both = start(former, later);
  expect(await both.kek.rotate(true)).toEqual({
    done: [expect.stringContaining('is wrapped by version 1 of tributary')],
    failed: [],
  });
  expect(await database.run(`SELECT provider FROM ${wrappingKeyTable}`, [])).toEqual([{ provider: 'aws-kms' }]);
  expect(kekIdOf(await start(later).kek.wrap(randomBytes(32), 'c'))).toBe(await both.kek.currentId());
});
