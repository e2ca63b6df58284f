import { RecordKeyStore } from './record-key-store';
import { type TestStorage, openTestStorage } from '../../test/storage';

describe('the key of a client', () => {
  let test: TestStorage;
  beforeAll(async () => {
    test = await openTestStorage();
  });
  afterAll(() => test.close());

  it('is created without an error for concurrent first writers', async () => {
    const store = new RecordKeyStore(test.pool, test.pool, test.kek, { cachedRecords: 1000 });
    const later = async (turns: number): Promise<void> => {
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
    };
    let user = 0;
    for (let round = 0; round < 30; round++) {
      const made = Array.from({ length: 12 }, (_, turns) =>
        later(turns).then(() => store.findOrCreate(++user, `new-client-${round}`)),
      );
      await expect(Promise.all(made)).resolves.toHaveLength(12);
    }
  });
});
