import {
  CONDITION,
  OBSERVATION,
  type TestStorage,
  content,
  newId,
  openTestStorage,
  allMatches,
  purgeAll,
} from '../../test/storage';
import type { UserRecord } from '../user-record';

let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage();
});
afterAll(() => test.close());

/** All that a reader can see of a record. */
async function everything(record: UserRecord): Promise<unknown> {
  const found = await allMatches(record, {
    typeCodes: [OBSERVATION, CONDITION],
    where: { op: 'any-term', terms: ['t'] },
  });
  return { found, history: (await record.history({ scope: 'record', limit: 10_000, total: true })).versions };
}

async function blocks(record: UserRecord): Promise<{ entryCount: number; history: boolean; retired: boolean }[]> {
  const { rows } = await test.pool.query<{ entryCount: number; history: boolean; retired: boolean }>(
    'SELECT entry_count AS "entryCount", history, retired_at IS NOT NULL AS retired FROM fhir_store.block WHERE user_id = $1 ORDER BY retired_at NULLS FIRST, history, entry_count',
    [record.userId],
  );
  return rows;
}

const index = { terms: ['t'], ranges: [] };

describe('compactRecord', () => {
  it('changes nothing that a reader sees, and leaves full blocks of superseded entries apart', async () => {
    const record = test.newRecord();
    const ids = Array.from({ length: 110 }, newId);
    for (const id of ids) await record.create(OBSERVATION, id, content('"v":1', index));
    for (const id of ids.slice(0, 8)) await record.update(OBSERVATION, id, content('"v":2', index));
    await record.delete(OBSERVATION, ids[9] as string);
    const before = await everything(record);
    expect(await test.storage.compactRecord(record.userId)).toEqual({ retired: 118, written: 3 });
    expect(await everything(record)).toEqual(before);
    expect((await blocks(record)).filter(({ retired }) => !retired)).toEqual([
      { entryCount: 54, history: false, retired: false },
      { entryCount: 55, history: false, retired: false },
      { entryCount: 9, history: true, retired: false },
    ]);
    expect(await test.storage.compactRecord(record.userId)).toEqual({ retired: 0, written: 0 });
    expect(await purgeAll(test.storage)).toBe(0);
    expect(await purgeAll(test.storage, Date.now() + 1)).toBeGreaterThanOrEqual(118);
    expect(await everything(record)).toEqual(before);
  });

  it('does not compact blocks without a benefit', async () => {
    const record = test.newRecord();
    for (let i = 0; i < 3; i++) await record.create(OBSERVATION, newId(), content('"v":1', index));
    await record.write(
      Array.from({ length: 50 }, () => ({ typeCode: CONDITION, id: newId(), ...content('"v":1', index) })),
    );
    expect(await test.storage.compactRecord(record.userId)).toEqual({ retired: 0, written: 0 });
    expect(await test.storage.compactRecord(999_999)).toEqual({ retired: 0, written: 0 });
  });

  it('compacts later writes too, and then finds nothing left to compact', async () => {
    const record = test.newRecord();
    const ids = Array.from({ length: 30 }, newId);
    for (let round = 0; round < 6; round++) {
      await Promise.all(
        ids.slice(round, round + 10).map((id) => record.update(OBSERVATION, id, content(`"round":${round}`, index))),
      );
      const before = await everything(record);
      await test.storage.compactRecord(record.userId);
      expect(await everything(record)).toEqual(before);
    }
    for (let i = 0; i < 3; i++) await test.storage.compactRecord(record.userId);
    expect(await test.storage.compactRecord(record.userId)).toEqual({ retired: 0, written: 0 });
  });
});
