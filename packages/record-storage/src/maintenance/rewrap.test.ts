import { randomBytes } from 'node:crypto';
import { type KeyEncryptionKey, LocalKeyEncryptionKey, kekIdOf } from '@tributary/key-vault';
import { RecordStorage } from '../record-storage';
import { OBSERVATION, type TestStorage, content, newId, openTestStorage, textOf } from '../../test/storage';

const [old, fresh, third] = [randomBytes(32), randomBytes(32), randomBytes(32)];
let test: TestStorage;
const storages: RecordStorage[] = [];
beforeAll(async () => {
  test = await openTestStorage();
});
afterAll(async () => {
  await Promise.all(storages.map((storage) => storage.close()));
  await test.close();
});

/** A process of its own, with nothing in memory, that has these keys. */
function processWith(...keys: Buffer[]): RecordStorage {
  const storage = new RecordStorage({ pool: test.pool, kek: new LocalKeyEncryptionKey(keys) });
  storages.push(storage);
  return storage;
}

const wrapped = async (): Promise<Buffer[]> =>
  (
    await test.pool.query<{ wrapped_key: Buffer }>(
      'SELECT wrapped_key FROM fhir_store_keys.client_key ORDER BY client_id',
    )
  ).rows.map((row) => row.wrapped_key);

it('rewraps the keys of clients after a rotation while records stay readable', async () => {
  const id = newId();
  const clients = Array.from({ length: 501 }, (_, n) => `client-${n}`);
  const before = processWith(old);
  await Promise.all(
    clients.map((clientId, n) => before.record(n + 1, clientId).create(OBSERVATION, id, content('"a":1'))),
  );

  // The new key is there but not yet the one that wraps: the first step where processes are replaced one by one.
  expect(await processWith(fresh, old).rewrapClientKeys()).toEqual({ rewrapped: 0, unopened: 0, unopenedIds: [] });
  const rotated = processWith(old, fresh);
  expect(textOf(await rotated.record(1, 'client-0').read(OBSERVATION, id))).toContain('"a":1');

  const counts = await Promise.all([rotated.rewrapClientKeys(), processWith(old, fresh).rewrapClientKeys()]);
  expect(counts[0].rewrapped + counts[1].rewrapped).toBe(clients.length);
  const current = await new LocalKeyEncryptionKey([fresh]).currentId();
  expect(new Set((await wrapped()).map(kekIdOf))).toEqual(new Set([current]));
  expect(await rotated.rewrapClientKeys()).toEqual({ rewrapped: 0, unopened: 0, unopenedIds: [] });

  // The old key is gone for good now.
  const after = processWith(fresh);
  for (const n of [0, 250, 500]) {
    const record = after.record(n + 1, `client-${n}`);
    expect(textOf(await record.read(OBSERVATION, id))).toContain('"a":1');
    await record.create(OBSERVATION, newId(), content('"a":2'));
  }
  await expect(processWith(old).record(1, 'client-0').read(OBSERVATION, id)).rejects.toThrow(/not known/);
});

it('leaves a key unchanged that no version unwraps, and continues with the others', async () => {
  const odd = randomBytes(69);
  await test.pool.query(`INSERT INTO fhir_store_keys.client_key VALUES ('a client', $1)`, [odd]);
  expect(await processWith(old, fresh, third).rewrapClientKeys()).toEqual({
    rewrapped: 501,
    unopened: 1,
    unopenedIds: ['a client'],
  });
  expect((await wrapped())[0]).toEqual(odd);
});

describe('a new client', () => {
  const lastKek = async (clientId: string): Promise<string | undefined> => {
    const { rows } = await test.pool.query<{ wrapped_key: Buffer }>(
      'SELECT wrapped_key FROM fhir_store_keys.client_key WHERE client_id = $1',
      [clientId],
    );
    return rows[0] && kekIdOf(rows[0].wrapped_key);
  };
  const openWith = (kek: KeyEncryptionKey): RecordStorage => {
    const storage = new RecordStorage({ pool: test.pool, kek });
    storages.push(storage);
    return storage;
  };

  it('gets a key that the new version wraps when keys of others are wrapped by it', async () => {
    const [stored, next] = [new LocalKeyEncryptionKey([third]), new LocalKeyEncryptionKey([third, randomBytes(32)])];
    let current = stored;
    const kek: KeyEncryptionKey = {
      currentId: () => current.currentId(),
      wrap: (plain, context) => current.wrap(plain, context),
      unwrap: (wrappedKey, context) => next.unwrap(wrappedKey, context),
      isDue: (wrappedKey) => current.isDue(wrappedKey),
      useIfStored: async (isStored) => {
        if (await isStored(await next.currentId())) current = next;
      },
    };
    const waiting = openWith(kek);
    await waiting.record(9001, 'first client').create(OBSERVATION, newId(), content('"a":1'));
    expect(await lastKek('first client')).toBe(await stored.currentId());
    await openWith(next).record(9002, 'second client').create(OBSERVATION, newId(), content('"a":1'));
    await waiting.record(9003, 'third client').create(OBSERVATION, newId(), content('"a":1'));
    expect(await lastKek('third client')).toBe(await next.currentId());
  });

  it('gets no key when a wrong key-encryption key takes the place of the right one after the check', async () => {
    const wrong = new LocalKeyEncryptionKey([randomBytes(32)]);
    let current = new LocalKeyEncryptionKey([third]);
    const storage = openWith({
      currentId: () => current.currentId(),
      wrap: (plain, context) => {
        current = wrong;
        return current.wrap(plain, context);
      },
      unwrap: (wrappedKey, context) => current.unwrap(wrappedKey, context),
      isDue: (wrappedKey) => current.isDue(wrappedKey),
    });
    await expect(storage.record(9004, 'refused client').create(OBSERVATION, newId(), content('"a":1'))).rejects.toThrow(
      /opens none of the keys/,
    );
    expect(await lastKek('refused client')).toBeUndefined();
  });
});
