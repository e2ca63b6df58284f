import { type TestStorage, OBSERVATION, content, newId, openTestStorage } from '../test/storage';

let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage();
});
afterAll(() => test.close());

it('begins no statement after its caller is gone', async () => {
  const { userId, clientId } = test.newRecord();
  const controller = new AbortController();
  const record = test.storage.record(userId, clientId, controller.signal);
  const { id } = await record.create(OBSERVATION, newId(), content('"a":1'));
  expect(await record.read(OBSERVATION, id)).toMatchObject({ version: 1 });
  const gone = new Error('the caller is gone');
  const query = jest.spyOn(test.pool, 'query');
  const reading = record.history({ scope: 'record', limit: 1 });
  controller.abort(gone);
  await expect(reading).rejects.toThrow(gone);
  await expect(record.read(OBSERVATION, id)).rejects.toThrow(gone);
  await expect(record.search.count([OBSERVATION], { op: 'all' })).rejects.toThrow(gone);
  expect(query).not.toHaveBeenCalled();
});
