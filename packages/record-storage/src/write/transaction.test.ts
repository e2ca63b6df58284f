import type { Condition } from '@tributary/fhir-search';
import { VersionConflictError } from '../errors';
import { PATIENT, type TestStorage, content, newId, openTestStorage, textOf } from '../../test/storage';
import type { LockedRecord } from './batch-write';

let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage();
});
afterAll(() => test.close());

const where: Condition = { op: 'any-term', terms: ['identifier s|1'] };
const identified = { ...content('"a":1'), index: { terms: ['identifier s|1'], ranges: [] } };

it('lets one of several concurrent search-then-write transactions write', async () => {
  const record = test.newRecord();
  const createUnlessFound = (locked: LockedRecord): Promise<boolean> =>
    locked.search
      .count([PATIENT], where)
      .then(
        async (found) =>
          found === 0 && (await locked.write([{ typeCode: PATIENT, id: newId(), ...identified }])).length === 1,
      );
  const created = await Promise.all(Array.from({ length: 12 }, () => record.transaction(createUnlessFound)));
  expect(created.filter(Boolean)).toHaveLength(1);
  expect(await record.search.count([PATIENT], where)).toBe(1);
});

it('writes nothing when the work fails, and releases the lock', async () => {
  const record = test.newRecord();
  const id = newId();
  await expect(
    record.transaction(async (locked) => {
      await locked.write([{ typeCode: PATIENT, id, ...content('"a":1') }]);
      expect(textOf(await locked.read(PATIENT, id))).toContain('"a":1');
      throw new Error('of the work');
    }),
  ).rejects.toThrow('of the work');
  expect(await record.read(PATIENT, id)).toBeUndefined();
  expect(await record.transaction((locked) => locked.currentVersions([{ typeCode: PATIENT, id }]))).toEqual([]);
});

it('runs many concurrent statements', async () => {
  const record = test.newRecord();
  const { id } = await record.create(PATIENT, newId(), identified);
  const found = await record.transaction((locked) =>
    Promise.all([
      locked.read(PATIENT, id),
      locked.readMany([{ typeCode: PATIENT, id }]),
      locked.search.count([PATIENT], where),
      locked.search.page({ typeCodes: [PATIENT], where, limit: 1 }),
    ]),
  );
  expect(found).toMatchObject([{ id }, [{ id }], 1, { matches: [{ id }] }]);
});

it('refuses reads and writes after the transaction', async () => {
  const record = test.newRecord();
  await record.create(PATIENT, newId(), identified);
  let kept: LockedRecord | undefined;
  await record.transaction((locked) => Promise.resolve((kept = locked)));
  await expect(kept?.search.count([PATIENT], where)).rejects.toThrow('the transaction has ended');
  await expect(kept?.write([{ typeCode: PATIENT, id: newId(), ...content('"a":1') }])).rejects.toThrow(
    'the transaction has ended',
  );
});

it('refuses a write for a version that a single write has replaced since it was read', async () => {
  const record = test.newRecord();
  const { id } = await record.create(PATIENT, newId(), identified);
  const [current] = await record.transaction((locked) => locked.currentVersions([{ typeCode: PATIENT, id }]));
  await record.update(PATIENT, id, content('"a":2'));
  const late = record.transaction((locked) =>
    locked.write([{ typeCode: PATIENT, id, ...content('"a":3'), expectedVersion: current?.version ?? 0 }]),
  );
  await expect(late).rejects.toThrow(VersionConflictError);
  expect(textOf(await record.read(PATIENT, id))).toContain('"a":2');
});
