import { randomUUID } from 'node:crypto';
import { waitUntil } from '@tributary/test-environment';
import type { JsonObject } from '@tributary/fhir-json';
import { RecordStorage, WriteNotConfirmedError } from '@tributary/record-storage';
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

const batchOf = (...entry: JsonObject[]): JsonObject => ({ resourceType: 'Bundle', type: 'batch', entry });
const creation = { resource: patient, request: { method: 'POST', url: 'Patient' } };

it.each([
  ['a create', '/r4/Patient', patient],
  ['a batch', '/r4', batchOf(creation)],
  ['a transaction', '/r4', { ...batchOf(creation), type: 'transaction' }],
] as [string, string, JsonObject][])('%s that was not carried out can be repeated', async (_what, address, body) => {
  const answer = await user.send('post', address, body);
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
  expect(resourceOf(answer)['issue']).toEqual([expect.objectContaining({ code: 'transient' })]);
});

it.each([
  ['a create', '/r4/Patient', patient],
  ['a batch', '/r4', batchOf(creation)],
  ['a transaction', '/r4', { ...batchOf(creation), type: 'transaction' }],
] as [string, string, JsonObject][])(
  '%s whose connection breaks has an unknown outcome',
  async (_what, address, body) => {
    await store.pool.query('ALTER TABLE fhir_store.resource DISABLE TRIGGER refuse');
    const blocker = await store.pool.connect();
    try {
      await blocker.query('BEGIN; LOCK TABLE fhir_store.resource IN ACCESS EXCLUSIVE MODE');
      let isAnswered = false;
      const answering = user.send('post', address, body).then((response) => {
        isAnswered = true;
        return response;
      });
      await waitUntil(async () => {
        await store.pool.query(`
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND wait_event = 'relation'`);
        return isAnswered;
      });
      const answer = await answering;
      expect([answer.status, answer.headers['retry-after']]).toEqual([502, undefined]);
      expect(resourceOf(answer)['issue']).toEqual([
        expect.objectContaining({ code: 'transient' }),
        expect.objectContaining({ code: 'informational', diagnostics: expect.stringContaining('If-None-Exist') }),
      ]);
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
      await store.pool.query('ALTER TABLE fhir_store.resource ENABLE TRIGGER refuse');
    }
  },
);

it('a batch that fails after one of its entries was carried out has an unknown outcome', async () => {
  const { id } = (await user.bundle('/r4/Patient')).matches[0] as { id: string };
  const deletion = { request: { method: 'DELETE', url: `Patient/${id}` } };
  await store.pool.query('ALTER TABLE fhir_store.resource DISABLE TRIGGER refuse');
  const more = await user.create('r4', patient);
  await store.pool.query('ALTER TABLE fhir_store.resource ENABLE TRIGGER refuse');
  const answer = await user.send(
    'post',
    '/r4',
    batchOf(
      deletion,
      { request: { method: 'DELETE', url: `Patient/${more.id}` } },
      ...Array.from({ length: 9 }, () => creation),
    ),
  );
  expect(answer.status).toBe(502);
});

describe('after the commit', () => {
  const open = RecordStorage.prototype.record;
  let refused: Error;
  beforeAll(() => store.pool.query('ALTER TABLE fhir_store.resource DISABLE TRIGGER refuse'));
  beforeEach(() => {
    refused = Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
  });
  afterEach(() => {
    RecordStorage.prototype.record = open;
  });
  afterAll(() => store.pool.query('ALTER TABLE fhir_store.resource ENABLE TRIGGER refuse'));

  const count = async (of: RecordOverHttp): Promise<unknown> => (await of.bundle('/r4/Patient?_summary=count')).total;

  it('a transaction whose reads fail has an unknown outcome', async () => {
    RecordStorage.prototype.record = function (...of) {
      return Object.assign(open.apply(this, of), { read: () => Promise.reject(refused) });
    };
    const other = store.user();
    const read = { request: { method: 'GET', url: `Patient/${randomUUID()}` } };
    const answer = await other.send('post', '/r4', { ...batchOf(creation, read), type: 'transaction' });
    RecordStorage.prototype.record = open;
    expect([answer.status, await count(other)]).toEqual([502, 1]);
  });

  it.each(['/r4/Patient', '/r4/Patient?x=/_search', '/r4/Patient?x=/$everything'])(
    'a write that cannot be confirmed has an unknown outcome: POST %s',
    async (address) => {
      RecordStorage.prototype.record = function (...of) {
        const record = open.apply(this, of);
        const create = record.create.bind(record);
        return Object.assign(record, {
          create: (...resource: Parameters<typeof create>) =>
            create(...resource).then(() => Promise.reject(new WriteNotConfirmedError(refused))),
        });
      };
      const other = store.user();
      const answer = await other.send('post', address, patient);
      RecordStorage.prototype.record = open;
      expect([answer.status, await count(other)]).toEqual([502, 1]);
    },
  );
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
