import { typeCodeOf } from '@tributary/record-storage';
import type { Response } from 'supertest';
import { FhirStoreUnderTest } from '../../../test/fhir-store-under-test';
import { resourceOf } from '../../../test/record-over-http';

let store: FhirStoreUnderTest;
beforeAll(async () => {
  store = await FhirStoreUnderTest.start();
});
afterAll(() => store.stop());

it('removes what matches, all or nothing and no more than one request may', async () => {
  const user = store.user();
  const record = store.storage.record(user.userId, 'client');
  const typeCode = typeCodeOf('r4', 'Basic');
  const change = (
    n: number,
  ): {
    typeCode: number;
    id: string;
    body: { meta: string; members: string };
    index: { terms: string[]; ranges: never[] };
  } => ({
    typeCode,
    id: `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
    body: { meta: '', members: '"code":{"text":"x"}' },
    index: { terms: [], ranges: [] },
  });
  for (let from = 0; from < 10_001; from += 3334)
    await record.write(Array.from({ length: Math.min(3334, 10_001 - from) }, (_, n) => change(from + n)));
  const remove = (query: string): PromiseLike<Response> => user.send('delete', `/r4/Basic?${query}`);
  const refused = await remove('_lastUpdated=gt2000');
  expect([refused.status, resourceOf(refused)['issue']]).toEqual([
    400,
    [expect.objectContaining({ code: 'too-costly', diagnostics: expect.stringContaining('10000') })],
  ]);
  expect((await user.bundle('/r4/Basic?_summary=count')).total).toBe(10_001);
  await record.delete(typeCode, change(0).id);
  expect(resourceOf(await remove('_lastUpdated=gt2000'))['issue']).toMatchObject([
    { diagnostics: '10000 resources are deleted' },
  ]);
  expect((await user.bundle('/r4/Basic?_summary=count')).total).toBe(0);
});
