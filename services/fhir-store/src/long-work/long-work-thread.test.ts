import { gzipSync } from 'node:zlib';
import type { JsonObject } from '@tributary/fhir-json';
import { createLog } from '@tributary/service-kit';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import { type RecordOverHttp, resourceOf, textOf } from '../../test/record-over-http';
import { maxMembers } from '../fhir-http/limits';
import { LongWorkThread } from './long-work-thread';

let store: FhirStoreUnderTest;
let user: RecordOverHttp;

beforeAll(async () => {
  store = await FhirStoreUnderTest.start({ thread: true, limits: { rates: 'fhir-user=20000/60' } });
  user = store.user();
});

afterAll(() => store.stop());

const observation = (members: JsonObject = {}): JsonObject => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'weight' },
  ...members,
});
const long = observation({ note: [{ text: 'a'.repeat(400_000) }] });
const transaction = (entries: number, resource: JsonObject = observation()): JsonObject => ({
  resourceType: 'Bundle',
  type: 'transaction',
  entry: Array.from({ length: entries }, () => ({ resource, request: { method: 'POST', url: 'Observation' } })),
});

describe('requests that can take long are carried out as all others', () => {
  it('writes', async () => {
    const created = await user.create('r4', long);
    const address = `/r4/Observation/${created.id}`;
    const updated = await user.send('put', address, { ...created, status: 'amended' });
    expect([updated.status, updated.headers['etag'], resourceOf(updated)['status']]).toEqual([200, 'W/"2"', 'amended']);
    const patch = [{ op: 'replace', path: '/status', value: 'corrected' }];
    const patched = await user.send('patch', address, patch).set('Content-Type', 'application/json-patch+json');
    expect([patched.status, patched.headers['etag']]).toEqual([200, 'W/"3"']);
    expect(resourceOf(await user.get(address))).toEqual(resourceOf(patched));
    expect(store.events.slice(-4).map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      'fhir.create success',
      'fhir.update success',
      'fhir.patch success',
      'fhir.read success',
    ]);
  });

  it('reads', async () => {
    const other = store.user();
    const created = await other.create('r4', long);
    const elements = await other.get(`/r4/Observation/${created.id}?_elements=status`);
    expect(resourceOf(elements)).toMatchObject({ status: 'final' });
    expect(textOf(elements).length).toBeLessThan(1000);
    await other.send('post', '/r4', transaction(150));
    const page = await other.bundle('/r4/Observation?_count=120');
    const next = await other.bundle(page.link('next') ?? '');
    expect([page.total, page.matches.length, next.matches.length]).toEqual([151, 120, 31]);
    for (let version = 0; version < 4; version++) await other.create('r4', long);
    expect((await other.bundle('/r4/Observation?_sort=-_lastUpdated&_count=5')).matches).toHaveLength(5);
  });

  it('reads a part of a large Binary in its own media type', async () => {
    const content = Buffer.alloc(3_000_000, 'Binary ');
    const created = await user.send('post', '/r4/Binary').set('Content-Type', 'text/plain').send(content);
    const id = String(resourceOf(created)['id']);
    const part = await user.get(`/r4/Binary/${id}`).set('Range', 'bytes=7-13').set('Accept', 'text/plain');
    expect([part.status, part.headers['content-type'], textOf(part)]).toEqual([206, 'text/plain', 'Binary ']);
    expect((await user.get(`/r4/Binary/${id}`).set('Accept', 'text/plain')).headers['content-length']).toBe('3000000');
  });
});

it('refuses with the same errors, headers and audit events', async () => {
  const invalid = await user.send('post', '/r4/Observation', { ...long, status: 'unknown-status' });
  expect([invalid.status, resourceOf(invalid)['issue']]).toMatchObject([422, [{ expression: ['Observation.status'] }]]);
  const created = await user.create('r4', long);
  const conflict = await user.send('put', `/r4/Observation/${created.id}`, created).set('If-Match', 'W/"7"');
  expect(conflict.status).toBe(412);
  expect(store.events.at(-1)).toMatchObject({ kind: 'fhir.update', outcome: 'refused', status: 412 });
  // An entry costs a tenth of a request. The bucket must not fill again while the thread begins.
  const limited = await FhirStoreUnderTest.start({ thread: true, limits: { rates: 'fhir-user=20/3600' } });
  try {
    const tooMany = await limited.user().send('post', '/r4', transaction(1000));
    expect([tooMany.status, tooMany.headers['retry-after']]).toEqual([429, expect.any(String)]);
    expect(tooMany.headers['ratelimit']).toContain('r=');
  } finally {
    await limited.stop();
  }
});

it('serves public documents, conditional writes, and chunked bodies', async () => {
  for (let time = 0; time < 3; time++) {
    const statement = await user.get('/r4/metadata?_count=101');
    expect([statement.status, resourceOf(statement)['resourceType']]).toEqual([200, 'CapabilityStatement']);
  }
  const writer = store.user();
  const named = observation({ identifier: [{ system: 'urn:x', value: '1' }] });
  const statuses: number[] = [];
  for (let time = 0; time < 2; time++)
    statuses.push(
      (await writer.send('post', '/r4/Observation', named).set('If-None-Exist', 'identifier=urn:x|1')).status,
      (await writer.send('put', '/r4/Observation?identifier=urn:x|1', named)).status,
    );
  statuses.push((await writer.send('delete', '/r4/Observation?identifier=urn:x|1')).status);
  expect(statuses).toEqual([201, 200, 200, 200, 200]);
});

it('refuses a body, and a resource, with too many members', async () => {
  const many = (count: number): JsonObject => ({
    resourceType: 'Basic',
    code: { text: 'x' },
    extension: Array.from({ length: count }, () => ({})),
  });
  const send = async (body: string): Promise<[number, string]> => {
    const response = await fetch(`${store.url}/r4/Basic`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${user.token}`,
        'Content-Type': 'application/fhir+json',
        'Content-Encoding': 'gzip',
      },
      body: gzipSync(body),
    });
    return [response.status, await response.text()];
  };
  const body = await send(`[${'0,'.repeat(maxMembers.body)}0]`);
  expect(body).toEqual([413, expect.stringContaining('more than 1000000 members')]);
  const resource = await send(JSON.stringify(many(maxMembers.resource)));
  expect(resource).toEqual([413, expect.stringContaining('more than 100000 elements')]);
  expect((await send(JSON.stringify(many(10))))[0]).toBe(422);
});

it('serves others while it carries out the requests of one user, two at a time', async () => {
  const other = store.user();
  const { id } = await other.create('r4', observation());
  const order: string[] = [];
  const large = Array.from({ length: 4 }, async () => {
    const { status } = await user.send('post', '/r4', transaction(3000));
    order.push(`large ${status}`);
  });
  for (let read = 0; read < 5; read++) {
    const { status } = await other.get(`/r4/Observation/${id}`);
    order.push(`read ${status}`);
  }
  await Promise.all(large);
  expect(order).toEqual([...Array<string>(5).fill('read 200'), ...Array<string>(4).fill('large 200')]);
});

it('answers 503 when the thread cannot start, because nothing was carried out', async () => {
  const thread = new LongWorkThread({ log: createLog('fhir-store', 'silent'), worker: { env: {}, execArgv: [] } });
  const request = { serviceUserId: 1, isSafe: false } as Parameters<LongWorkThread['run']>[0];
  const caller = {
    bytes: () => Promise.resolve(Buffer.from('{}')),
    countEntries: () => Promise.resolve(),
    signal: new AbortController().signal,
  };
  for (let attempt = 0; attempt < 2; attempt++)
    await expect(thread.run(request, caller)).rejects.toMatchObject({ status: 503 });
  await thread.stop();
});
