import type { JsonObject } from '@tributary/fhir-json';
import { FhirStoreUnderTest } from '../test/fhir-store-under-test';
import { type RecordOverHttp, resourceOf } from '../test/record-over-http';

let store: FhirStoreUnderTest;
let user: RecordOverHttp;
beforeAll(async () => {
  store = await FhirStoreUnderTest.start();
  user = store.user();
  await user.create('r4', { resourceType: 'Patient' });
  await store.pool.query(`
    CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON fhir_store.resource FOR EACH ROW EXECUTE FUNCTION public.refuse()`);
});
afterAll(() => store.stop());

const patient = { resourceType: 'Patient' };

it.each([
  ['a create', '/r4/Patient', patient],
  [
    'a batch',
    '/r4',
    {
      resourceType: 'Bundle',
      type: 'batch',
      entry: [{ resource: patient, request: { method: 'POST', url: 'Patient' } }],
    },
  ],
  [
    'a transaction',
    '/r4',
    {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [{ resource: patient, request: { method: 'POST', url: 'Patient' } }],
    },
  ],
] as [string, string, JsonObject][])(
  '%s that fails in an outage is to be repeated with If-None-Exist',
  async (_what, address, body) => {
    const answer = await user.send('post', address, body);
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
    expect(resourceOf(answer)['issue']).toEqual([
      expect.objectContaining({ code: 'transient' }),
      expect.objectContaining({ code: 'informational', diagnostics: expect.stringContaining('If-None-Exist') }),
    ]);
  },
);

it('omits the note where the create can be repeated safely', async () => {
  const answer = await user.send('post', '/r4/Patient', patient).set('If-None-Exist', 'identifier=1');
  expect([answer.status, resourceOf(answer)['issue']]).toEqual([503, [expect.objectContaining({ code: 'transient' })]]);
});

it('responds to the ingestion worker with 503, too', async () => {
  const source = {
    client_id: 'client',
    release: 'r4',
    health_system_id: 7,
    fhir_base_url: 'https://fhir.hospital.example/r4',
  } as const;
  const call = store.records.storeBatch(user.userId, source, '{"resourceType":"Patient","id":"1"}');
  await expect(call).rejects.toMatchObject({ status: 503 });
});
