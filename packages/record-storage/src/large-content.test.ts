import { Pool } from 'pg';
import { typeCodeOf } from './type-codes';
import { RecordStorage } from './record-storage';
import { OBSERVATION, type TestStorage, content, newId, openTestStorage } from '../test/storage';

let test: TestStorage;
beforeAll(async () => {
  test = await openTestStorage();
});
afterAll(() => test.close());

it('sends large content over the pool, so that it does not block a pipelined connection', async () => {
  const pool = new Pool({ ...test.pool.options, max: 1 });
  const storage = new RecordStorage({ pool, kek: test.kek });
  const [record, neighbour] = [storage.record(1, 'client'), storage.record(2, 'client')];
  const binary = typeCodeOf('r4', 'Binary');
  const { id } = await record.create(binary, newId(), content('"data":"AAAA"'));
  const { id: small } = await neighbour.create(OBSERVATION, newId(), content('"a":1'));
  // While the one connection of the pool is taken, what goes over it waits.
  const taken = await pool.connect();
  const settled: string[] = [];
  const large = Promise.all([
    record.create(binary, newId(), content(`"data":"${'A'.repeat(100_000)}"`)).then(() => settled.push('create')),
    record.update(binary, id, content(`"data":"${'A'.repeat(100_000)}"`)).then(() => settled.push('update')),
    record.read(binary, id).then(() => settled.push('read')),
  ]);
  for (let n = 0; n < 20; n++) {
    await neighbour.update(OBSERVATION, small, content(`"a":${n}`));
    await neighbour.read(OBSERVATION, small);
  }
  expect(settled).toEqual([]);
  taken.release();
  await large;
  expect(settled.toSorted()).toEqual(['create', 'read', 'update']);
  await storage.close();
  await pool.end();
});
