import { IdNotAvailableError } from '../errors';
import { CONDITION, OBSERVATION, type TestStorage, content, newId, openTestStorage } from '../../test/storage';

let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage();
});
afterAll(() => test.close());

describe('an id that a client chose', () => {
  it('belongs to one record, for all types, as long as the record exists', async () => {
    const [one, other] = [test.newRecord(), test.newRecord()];
    const id = newId();
    expect(await one.update(OBSERVATION, id, content('"a":1'))).toMatchObject({ version: 1, created: true });
    expect(await one.update(CONDITION, id, content('"a":1'))).toMatchObject({ version: 1, created: true });
    await expect(other.update(OBSERVATION, id, content('"a":2'))).rejects.toThrow(IdNotAvailableError);
    await one.delete(OBSERVATION, id);
    await expect(other.update(OBSERVATION, id, content('"a":2'))).rejects.toThrow(IdNotAvailableError);
    expect(await one.update(OBSERVATION, id, content('"a":3'))).toMatchObject({ version: 3 });
    expect(await other.read(OBSERVATION, id)).toBeUndefined();
    await test.storage.destroyRecord(one.userId);
    expect(await other.update(OBSERVATION, id, content('"a":2'))).toMatchObject({ version: 1, created: true });
  });

  it('belongs to one of several records that claim it concurrently, and the others write nothing', async () => {
    const id = newId();
    const records = Array.from({ length: 6 }, () => test.newRecord());
    const tries = await Promise.allSettled(
      records.map((record) =>
        record.write(
          [newId(), id, newId()].map((each) => ({
            typeCode: OBSERVATION,
            id: each,
            ...content('"a":1'),
            isClientAssignedId: true,
          })),
        ),
      ),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const [i, record] of records.entries()) {
      const { versions } = await record.history({ scope: 'record', limit: 10 });
      expect(versions).toHaveLength(tries[i]?.status === 'fulfilled' ? 3 : 0);
    }
  });

  it('cannot be one that the service has assigned in any record', async () => {
    const [one, other] = [test.newRecord(), test.newRecord()];
    for (const id of ['01930000-0000-8000-8000-000000000001', '5f4a0000-0000-8000-9000-000000000001']) {
      await one.create(OBSERVATION, id, content('"a":1'));
      await expect(other.update(OBSERVATION, id, content('"a":2'))).rejects.toThrow(IdNotAvailableError);
      expect(await one.update(OBSERVATION, id, content('"a":2'))).toMatchObject({ version: 2 });
      await one.delete(OBSERVATION, id);
      expect(await one.update(OBSERVATION, id, content('"a":4'))).toMatchObject({ version: 4 });
    }
    await expect(other.update(OBSERVATION, '01930000-0000-8000-8000-000000000002', content('"a":2'))).rejects.toThrow(
      IdNotAvailableError,
    );
  });
});
