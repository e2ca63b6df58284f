import { auditEventSchema, AuditUnavailable, type NewAuditEvent } from '@tributary/audit-log';
import type { JsonObject } from '@tributary/fhir-json';
import { typeCodeOf } from '@tributary/record-storage';
import fc from 'fast-check';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import { RecordOverHttp, resourceOf } from '../../test/record-over-http';

let store: FhirStoreUnderTest;
beforeAll(async () => {
  store = await FhirStoreUnderTest.start();
});
afterAll(() => store.stop());
beforeEach(() => {
  store.trail = {};
});

/** The events of a user from here on. */
function eventsSince(user: RecordOverHttp): () => NewAuditEvent[] {
  const from = store.events.length;
  return () => store.events.slice(from).filter(({ subject }) => subject === user.userId);
}

const secret = 'Xylophon1987';
const observation = { resourceType: 'Observation', status: 'final', code: { text: secret } };

it('names the developer who reads for the client', async () => {
  const user = store.user();
  const events = eventsSince(user);
  const token = store.auth.addToken('client', user.userId, 'patient/*.rs', 'jane-1');
  await new RecordOverHttp(store.url, user.userId, token).get('/r4/$counts').expect(200);
  await user.get('/r4/$counts').expect(200);
  const agent = { clientId: 'client', serviceUserId: user.userId };
  expect(events().map((event) => event.agent)).toEqual([{ ...agent, developer: 'jane-1' }, agent]);
});

it('records each interaction with its resource, its kind and its outcome', async () => {
  const user = store.user();
  const events = eventsSince(user);
  const { id } = await user.create('r4', observation);
  const address = `/r4/Observation/${id}`;
  await user
    .get(address)
    .set({ 'X-Request-Id': 'r-1', 'X-Forwarded-For': '192.0.2.7', 'User-Agent': 'okhttp/4.9 (x)' });
  await user.get(`${address}/_history/1`);
  await user.get(`${address}/_history`);
  await user.send('put', address, { ...observation, id, status: 'amended' });
  await user.send('delete', address);
  await user.get(address).expect(410);
  const about = (version?: number) => [{ release: 'r4', type: 'Observation', id, ...(version ? { version } : {}) }];
  expect(events()).toMatchObject([
    { kind: 'fhir.create', action: 'C', outcome: 'success', status: 201, entities: about(1) },
    {
      kind: 'fhir.read',
      action: 'R',
      outcome: 'success',
      status: 200,
      requestId: 'r-1',
      agent: { clientId: 'client', serviceUserId: user.userId },
      address: '192.0.2.7',
      userAgent: 'okhttp/4.9',
      entities: about(1),
    },
    { kind: 'fhir.vread', status: 200, entities: about(1) },
    { kind: 'fhir.history', entities: [{ ...about()[0], count: 1 }] },
    { kind: 'fhir.update', action: 'U', status: 200, entities: about(2) },
    { kind: 'fhir.delete', action: 'D', status: 204, entities: about(3) },
    { kind: 'fhir.read', outcome: 'refused', status: 410, errorCode: 'deleted', entities: about() },
  ]);
});

it('records the shape of a search, and how many resources of which type it found', async () => {
  const user = store.user();
  const patient = await user.create('r4', { resourceType: 'Patient', name: [{ family: secret }] });
  await user.create('r4', { ...observation, subject: { reference: `Patient/${patient.id}` } });
  const events = eventsSince(user);
  await user.bundle(`/r4/Patient?name:contains=${secret.slice(1)}&_count=5&_sort=name&unknown=${secret}`);
  await user.bundle(`/r4/Observation?subject:Patient.name=${secret}&_include=Observation:subject`);
  await user
    .send('post', '/r4/Patient/_search', `name=${secret}`)
    .set('Content-Type', 'application/x-www-form-urlencoded')
    .expect(200);
  await user.bundle(`/r4/Patient/${patient.id}/$everything?_type=Observation,Patient`);
  await user.bundle(`/r4/Patient/${patient.id}/Observation?code:text=${secret}`);
  await user.get(`/r4/Patient?birthdate=${secret}`).expect(400);
  const found = (entity: object) => expect.objectContaining({ entities: [{ release: 'r4', ...entity }] });
  expect(events()).toEqual([
    found({ type: 'Patient', query: 'name:contains&_count&_sort', count: 1 }),
    found({
      type: 'Observation',
      query: 'subject:Patient.name&_include',
      count: 2,
      counts: { Observation: 1, Patient: 1 },
    }),
    found({ type: 'Patient', query: 'name', count: 1 }),
    found({
      type: 'Patient',
      id: patient.id,
      query: '$everything&_type',
      count: 2,
      counts: { Observation: 1, Patient: 1 },
    }),
    found({ type: 'Patient', id: patient.id, query: 'code:text', count: 1 }),
    expect.objectContaining({
      kind: 'fhir.search',
      outcome: 'refused',
      status: 400,
      entities: [{ release: 'r4', type: 'Patient' }],
    }),
  ]);
});

it('records a Bundle as one event with its entries', async () => {
  const user = store.user();
  const events = eventsSince(user);
  const entry = (method: string, url: string, resource?: JsonObject): JsonObject => ({
    request: { method, url },
    ...(resource ? { resource } : {}),
  });
  const response = await user.send('post', '/r4', {
    resourceType: 'Bundle',
    type: 'batch',
    entry: [
      entry('POST', 'Observation', observation),
      entry('GET', `Patient?name=${secret}`),
      entry('GET', `Patient/${secret}`),
    ],
  });
  const [created] = resourceOf(response)['entry'] as { response: { location: string } }[];
  const [, id] = /Observation\/([^/]+)/.exec(created?.response.location ?? '') ?? [];
  expect(events()).toEqual([
    expect.objectContaining({
      kind: 'fhir.bundle',
      outcome: 'success',
      entities: [
        {
          release: 'r4',
          type: 'Bundle',
          count: 3,
          counts: { 'POST Observation': 1, 'GET Patient': 1, 'GET Patient 404': 1 },
        },
        { release: 'r4', type: 'Observation', id, version: 1 },
        { release: 'r4', type: 'Patient', query: 'name', count: 0 },
      ],
    }),
  ]);
});

it('records what a batch has written before it fails', async () => {
  const user = store.user();
  const events = eventsSince(user);
  await store.pool.query(`
    CREATE FUNCTION public.refuse_basic() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.type_code = ${typeCodeOf('r4', 'Basic')} THEN RAISE EXCEPTION 'outage' USING ERRCODE = '53000'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER refuse_basic BEFORE INSERT ON fhir_store.resource FOR EACH ROW EXECUTE FUNCTION public.refuse_basic()`);
  const entry = [observation, { resourceType: 'Basic', code: { text: secret } }].map((resource) => ({
    // Creates without a condition would be written together.
    request: { method: 'POST', url: resource.resourceType, ifNoneExist: 'identifier=new' },
    resource,
  }));
  const response = await user.send('post', '/r4', { resourceType: 'Bundle', type: 'batch', entry });
  await store.pool.query('DROP TRIGGER refuse_basic ON fhir_store.resource');
  expect(response.status).toBe(502);
  const [event] = events();
  const stored = await store.pool.query<{ id: string }>(
    'SELECT id FROM fhir_store.resource WHERE user_id = $1 AND type_code = $2',
    [user.userId, typeCodeOf('r4', 'Observation')],
  );
  expect(event).toMatchObject({
    kind: 'fhir.bundle',
    outcome: 'failed',
    status: 502,
    entities: [
      {
        release: 'r4',
        type: 'Bundle',
        count: 2,
        counts: { 'POST Observation': 1, 'POST Basic without result': 1 },
      },
      { release: 'r4', type: 'Observation', id: stored.rows[0]?.id, version: 1 },
    ],
  });
});

it('records what a transaction has written when one of its reads fails', async () => {
  const user = store.user();
  const events = eventsSince(user);
  const patient = await user.create('r4', { resourceType: 'Patient' });
  await store.pool.query(`UPDATE fhir_store.block SET content = content || '\\x00' WHERE user_id = $1`, [user.userId]);
  const entry = [
    { request: { method: 'POST', url: 'Observation' }, resource: observation },
    { request: { method: 'GET', url: `Patient/${patient.id}` } },
  ];
  await user.send('post', '/r4', { resourceType: 'Bundle', type: 'transaction', entry }).expect(502);
  const event = events().at(-1);
  const stored = await store.pool.query<{ id: string }>(
    'SELECT id FROM fhir_store.resource WHERE user_id = $1 AND type_code = $2',
    [user.userId, typeCodeOf('r4', 'Observation')],
  );
  expect(event).toMatchObject({
    outcome: 'failed',
    entities: [
      { counts: { 'POST Observation': 1, 'GET Patient without result': 1 } },
      { type: 'Observation', id: stored.rows[0]?.id, version: 1 },
    ],
  });
});

it('records requests without a valid token with their address, and records no public document', async () => {
  const [before, recorded] = [store.refused.length, store.events.length];
  await store.user().get('/r4/Patient').auth('wrong', { type: 'bearer' }).expect(401);
  await store.user().get('/r4/metadata').expect(200);
  expect(store.refused.slice(before)).toEqual([
    {
      kind: 'token.refused',
      action: 'E',
      outcome: 'refused',
      status: 401,
      errorCode: 'login',
      agent: {},
      address: '127.0.0.1',
    },
  ]);
  expect(store.events.length).toBe(recorded);
});

it('records what the collector stores and deletes, and the destruction of a record', async () => {
  const user = store.user();
  const events = eventsSince(user);
  const source = {
    client_id: 'client',
    release: 'r4',
    health_system_id: 7,
    fhir_base_url: 'https://ehr.example.org/fhir/r4',
  } as const;
  const lines = [
    { ...observation, id: 'o-1' },
    { resourceType: secret, id: 'x' },
  ].map((line) => JSON.stringify(line));
  await store.records.storeBatch(user.userId, source, lines.join('\n'));
  await store.records.unresolvedReferences(user.userId, source, undefined);
  await store.records.resolveReferences(user.userId, source);
  await store.records.sourceReferences(user.userId, source, { type: 'Observation', without: [] }, undefined);
  await store.destroyRecord(user.userId);
  const agent = { service: 'ingestion-worker' };
  expect(events()).toMatchObject([
    {
      kind: 'collection.batch',
      action: 'C',
      agent: { ...agent, clientId: 'client' },
      entities: [{ release: 'r4', count: 2, counts: { 'Observation stored': 1 } }],
    },
    ...[
      { kind: 'collection.read', action: 'R', entities: [{ release: 'r4', count: 0 }] },
      { kind: 'collection.resolve', action: 'U', entities: [{ release: 'r4', count: 0 }] },
      { kind: 'collection.read', action: 'R', entities: [{ release: 'r4', type: 'Observation', count: 1 }] },
    ].map((event) => ({ ...event, agent: { ...agent, clientId: 'client' }, subject: user.userId })),
    { kind: 'record.destroyed', action: 'D', status: 204, agent: { service: 'user-management' } },
  ]);
  expect(JSON.stringify(events())).not.toContain(secret);
});

it('sends no data that is not recorded', async () => {
  const user = store.user();
  const { id } = await user.create('r4', observation);
  store.trail = { record: () => Promise.reject(new AuditUnavailable('for the test')) };
  const read = await user.get(`/r4/Observation/${id}`).expect(503);
  expect(JSON.stringify(read.body)).not.toContain(secret);
  // It is stored, which the client cannot know.
  await user.send('post', '/r4/Observation', observation).expect(502);
});

it('keeps values, tokens and what clients choose out of the events', async () => {
  const user = store.user();
  const events = eventsSince(user);
  const hostile = fc.stringMatching(/^[\w .:|,$~%-]{0,12}$/).map((text) => encodeURIComponent(`${text}${secret}`));
  await fc.assert(
    fc.asyncProperty(hostile, hostile, async (name, value) => {
      for (const method of ['get', 'post', 'put', 'delete'] as const)
        for (const address of [
          `/r4/Patient?${name}=${value}`,
          `/r4/Patient?name:${name}=${value}&_has:Observation:${name}:code=${value}`,
          `/r4/Patient/${value}`,
          `/r4/Patient/${value}/_history/${name}`,
          `/r4/Patient/${value}/Observation?code=${value}`,
          `/r4/${value}/${name}`,
          `/r4/Patient/$everything?${name}=${value}`,
          `/r4/$${name}`,
        ])
          await user.send(method, address, method === 'get' || method === 'delete' ? undefined : { [secret]: value });
    }),
    { numRuns: 5 },
  );
  const text = JSON.stringify(events());
  expect([...new Set(events().map(({ kind }) => kind))]).toEqual(
    expect.arrayContaining(['search', 'operation', 'create', 'update', 'delete'].map((kind) => `fhir.${kind}`)),
  );
  for (const value of [secret, user.token]) expect(text).not.toContain(value);
  for (const event of events()) auditEventSchema.parse({ at: 0, ...event });
});
