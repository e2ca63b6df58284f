import { randomBytes } from 'node:crypto';
import { UnsealingError } from '@tributary/key-vault';
import { OBSERVATION, type TestStorage, allMatches, content, newId, openTestStorage, textOf } from '../../test/storage';
import { RecordStorage } from '../record-storage';
import type { UserRecord } from '../user-record';

let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage({ partitions: 4 });
});
afterAll(() => test.close());

/** Stores resources in one block. */
async function storeBlock(record: UserRecord, count = 40): Promise<string[]> {
  const ids = Array.from({ length: count }, newId);
  const values = ids.map((id) => content(`"value":"${id} ${randomBytes(40).toString('hex')}"`));
  await record.write(ids.map((id, at) => ({ typeCode: OBSERVATION, id, ...values[at]! })));
  await test.storage.compactRecord(record.userId);
  return ids;
}

/** Makes the blocks of a record unreadable in the database. */
async function damageBlocks({ userId }: UserRecord): Promise<void> {
  await test.pool.query('UPDATE fhir_store.block SET content = $2 WHERE user_id = $1', [userId, randomBytes(500)]);
}

it('reads and finds the other resources of a block without its content', async () => {
  const record = test.newRecord();
  const ids = await storeBlock(record);
  const [first = '', second = ''] = ids;
  await record.read(OBSERVATION, first);
  await damageBlocks(record);
  expect(textOf(await record.read(OBSERVATION, second))).toContain(second);
  const found = await allMatches(record, { typeCodes: [OBSERVATION], where: { op: 'all' } });
  expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort());
  for (const match of found) expect(textOf(match)).toContain(match.id);
});

it('reads the content again in a storage that caches no blocks', async () => {
  const record = test.newRecord();
  const [first = '', second = ''] = await storeBlock(record);
  const storage = new RecordStorage({ pool: test.pool, kek: test.kek, cachedBlockBytes: 0 });
  try {
    const uncached = storage.record(record.userId, record.clientId);
    expect(textOf(await uncached.read(OBSERVATION, first))).toContain(first);
    await damageBlocks(record);
    await expect(uncached.read(OBSERVATION, second)).rejects.toThrow(UnsealingError);
  } finally {
    await storage.close();
  }
});

it('finds resources of cached and of other blocks in one page', async () => {
  const record = test.newRecord();
  const old = await storeBlock(record);
  await record.read(OBSERVATION, old[0] ?? '');
  const added = Array.from({ length: 30 }, newId);
  await record.write(
    added.map((id) => ({ typeCode: OBSERVATION, id, ...content(`"value":"${id} ${'x'.repeat(60)}"`) })),
  );
  for (let turn = 0; turn < 2; turn++) {
    const found = await allMatches(record, { typeCodes: [OBSERVATION], where: { op: 'all' } }, 25);
    expect(found.map(({ id }) => id).sort()).toEqual([...old, ...added].sort());
    for (const match of found) expect(textOf(match)).toContain(match.id);
  }
});

it('reads an update, a deletion and a compaction of cached resources, also of another process', async () => {
  const record = test.newRecord();
  const [updated = '', deleted = '', kept = ''] = await storeBlock(record);
  for (const id of [updated, deleted, kept]) await record.read(OBSERVATION, id);
  const other = new RecordStorage({ pool: test.pool, kek: test.kek });
  try {
    const elsewhere = other.record(record.userId, record.clientId);
    await elsewhere.update(OBSERVATION, updated, content('"value":"new"'));
    await elsewhere.delete(OBSERVATION, deleted);
    expect(textOf(await record.read(OBSERVATION, updated))).toContain('"new"');
    expect(await record.read(OBSERVATION, deleted)).toMatchObject({ deleted: true, json: undefined });
    await other.compactRecord(record.userId);
    expect(textOf(await record.read(OBSERVATION, kept))).toContain(kept);
    expect(textOf(await record.read(OBSERVATION, updated))).toContain('"new"');
    await other.destroyRecord(record.userId);
    expect(await record.read(OBSERVATION, kept)).toBeUndefined();
  } finally {
    await other.close();
  }
});
