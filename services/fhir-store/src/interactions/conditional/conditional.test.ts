import { releases } from '@tributary/fhir-definitions';
import type { JsonObject } from '@tributary/fhir-json';
import type { Response } from 'supertest';
import { FhirStoreUnderTest } from '../../../test/fhir-store-under-test';
import { Bundle, type RecordOverHttp, resourceOf } from '../../../test/record-over-http';

let store: FhirStoreUnderTest;
beforeAll(async () => {
  store = await FhirStoreUnderTest.start();
});
afterAll(() => store.stop());

const patient = (value: string, more: JsonObject = {}): JsonObject => ({
  resourceType: 'Patient',
  identifier: [{ system: 's', value }],
  ...more,
});
const bundle = (type: 'batch' | 'transaction', ...entry: JsonObject[]): JsonObject => ({
  resourceType: 'Bundle',
  type,
  entry,
});
const creation = (value: string): JsonObject => ({
  resource: patient(value),
  request: { method: 'POST', url: 'Patient', ifNoneExist: `identifier=s|${value}` },
});
const update = (value: string, more: JsonObject = {}): JsonObject => ({
  resource: patient(value, more),
  request: { method: 'PUT', url: `Patient?identifier=s|${value}` },
});
const removal = (value: string): JsonObject => ({
  request: { method: 'DELETE', url: `Patient?identifier=s|${value}` },
});

const alone = (user: RecordOverHttp): Promise<Response> =>
  user.send('post', '/r4/Patient', patient('1')).set('If-None-Exist', 'identifier=s|1') as unknown as Promise<Response>;
const inBatch = (user: RecordOverHttp): Promise<Response> =>
  user.send('post', '/r4', bundle('batch', creation('1'))) as unknown as Promise<Response>;
const inTransaction = (user: RecordOverHttp): Promise<Response> =>
  user.send('post', '/r4', bundle('transaction', creation('1'))) as unknown as Promise<Response>;

function statusOf(response: Response): string {
  const entry =
    response.status === 200 && resourceOf(response).resourceType === 'Bundle'
      ? new Bundle(resourceOf(response)).entries[0]
      : undefined;
  return entry ? String((entry['response'] as JsonObject)['status']).slice(0, 3) : String(response.status);
}

/** What was created for the criteria no longer matches them. */
async function drift(user: RecordOverHttp): Promise<void> {
  const created = await alone(user);
  const { id = '' } = resourceOf(created);
  expect((await user.send('put', `/r4/Patient/${id}`, { ...patient('changed'), id })).status).toBe(200);
}

it.each([
  ['alone', alone],
  ['in a batch', inBatch],
  ['in a transaction', inTransaction],
])('creates again %s when what was created does not match any more', async (_where, create) => {
  const user = store.user();
  await drift(user);
  expect([statusOf(await create(user)), statusOf(await create(user))]).toEqual(['201', '200']);
  expect((await user.bundle('/r4/Patient?identifier=s|1')).matches).toHaveLength(1);
});

it('creates again what was deleted', async () => {
  const user = store.user();
  const { id } = resourceOf(await alone(user));
  await user.send('delete', `/r4/Patient/${id}`);
  expect([statusOf(await inTransaction(user)), statusOf(await alone(user))]).toEqual(['201', '200']);
});

it('lets one of many concurrent creates succeed, in every kind of request and after every earlier state', async () => {
  const user = store.user();
  await drift(user);
  const answers = await Promise.all(
    Array.from({ length: 18 }, (_, n) => [alone, inBatch, inTransaction][n % 3]?.(user)),
  );
  const statuses = answers.map((answer) => statusOf(answer as Response));
  expect([
    statuses.filter((status) => status === '201').length,
    statuses.filter((status) => status === '200').length,
  ]).toEqual([1, 17]);
  expect((await user.bundle('/r4/Patient?identifier=s|1')).matches).toHaveLength(1);
});

it('carries out every one of many conditional updates at once, alone and in transactions', async () => {
  const user = store.user();
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      n % 2 === 0
        ? user.send('put', '/r4/Patient?identifier=s|1', patient('1', { gender: 'male' }))
        : user.send('post', '/r4', bundle('transaction', update('1', { gender: 'female' }))),
    ),
  );
  const statuses = answers.map(statusOf);
  expect([
    statuses.filter((status) => status === '201').length,
    statuses.filter((status) => status === '200').length,
  ]).toEqual([1, 11]);
  const [only, ...others] = (await user.bundle('/r4/Patient')).matches;
  expect([only?.meta?.versionId, others]).toEqual(['12', []]);
});

it('searches again when a single write changes what was found', async () => {
  const user = store.user();
  const { id } = await user.create('r4', patient('1'));
  const plain = (): Promise<Response> =>
    user.send('put', `/r4/Patient/${id}`, { ...patient('1'), id }) as unknown as Promise<Response>;
  const conditional = [
    () => user.send('put', '/r4/Patient?identifier=s|1', patient('1')),
    () => user.send('post', '/r4', bundle('transaction', update('1'))),
    () =>
      user
        .send('patch', '/r4/Patient?identifier=s|1', '[{"op":"add","path":"/gender","value":"male"}]')
        .set('Content-Type', 'application/json-patch+json'),
  ];
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => [
      plain(),
      plain(),
      conditional[n % 3]?.() as unknown as Promise<Response>,
    ]).flat(),
  );
  expect(new Set(answers.map(statusOf))).toEqual(new Set(['200']));
  expect((await user.bundle(`/r4/Patient/${id}/_history?_count=100`)).total).toBe(25);
});

it('refuses one criterion for two creations in a transaction', async () => {
  const answer = await store.user().send('post', '/r4', bundle('transaction', creation('1'), creation('1')));
  expect([answer.status, resourceOf(answer)['issue']]).toEqual([400, [expect.objectContaining({ code: 'invariant' })]]);
});

it('names the entry of a transaction whose criteria match more than one resource', async () => {
  const user = store.user();
  for (const value of ['1', '1']) await user.create('r4', patient(value));
  const answer = await user.send('post', '/r4', bundle('transaction', creation('2'), update('1')));
  expect([answer.status, resourceOf(answer)['issue']]).toEqual([
    412,
    [
      {
        severity: 'error',
        code: 'conflict',
        diagnostics: 'more than one resource matches the criteria',
        expression: ['Bundle.entry[1]'],
      },
    ],
  ]);
});

it('obeys If-Match beside criteria', async () => {
  const user = store.user();
  const { id } = await user.create('r4', patient('1'));
  const put = (version: string, value = '1'): PromiseLike<Response> =>
    user.send('put', `/r4/Patient?identifier=s|${value}`, patient(value)).set('If-Match', version);
  expect((await put('W/"2"')).status).toBe(412);
  expect((await put('W/"1"')).status).toBe(200);
  expect((await put('W/"1"', 'absent')).status).toBe(412);
  const inBundle = { ...update('1'), request: { method: 'PUT', url: 'Patient?identifier=s|1', ifMatch: 'W/"1"' } };
  expect((await user.send('post', '/r4', bundle('transaction', inBundle))).status).toBe(412);
  expect((await user.bundle(`/r4/Patient/${id}/_history`)).total).toBe(2);
});

describe('parameters for the result of a search', () => {
  const parameters = [
    '_contained=both',
    '_contained=true',
    '_containedType=contained',
    '_count=1',
    '_elements=id',
    '_include=Patient:organization',
    '_revinclude=Observation:subject',
    '_sort=_id',
    '_summary=true',
    '_total=none',
    '_releasePerSource=newest',
  ];
  let user: RecordOverHttp;
  beforeAll(async () => {
    user = store.user();
    for (const value of ['1', '2', '3']) await user.create('r4', patient(value));
    await user.create('r4', {
      resourceType: 'Observation',
      status: 'final',
      code: { text: 'x' },
      contained: [{ resourceType: 'Patient', id: 'p', identifier: [{ system: 's', value: '1' }] }],
    });
  });

  it.each(parameters.flatMap((parameter) => [parameter, `identifier=s|1&${parameter}`]))(
    'are refused, and nothing is changed: %s',
    async (query) => {
      const address = `Patient?${query}`;
      const entry = (method: string, more: JsonObject = {}): JsonObject => ({
        ...more,
        request: { method, url: address },
      });
      const answers = [
        await user.send('delete', `/r4/${address}`),
        await user.send('put', `/r4/${address}`, patient('1', { gender: 'female' })),
        await user
          .send('patch', `/r4/${address}`, [{ op: 'add', path: '/gender', value: 'female' }])
          .set('Content-Type', 'application/json-patch+json'),
        await user.send('post', '/r4/Patient', patient('4')).set('If-None-Exist', query),
        await user.send('post', '/r4', bundle('transaction', entry('DELETE'))),
        await user.send('post', '/r4', bundle('transaction', entry('PUT', { resource: patient('1') }))),
        await user.send(
          'post',
          '/r4',
          bundle('transaction', {
            resource: patient('4'),
            request: { method: 'POST', url: 'Patient', ifNoneExist: query },
          }),
        ),
        await user.send('post', '/r4', bundle('batch', entry('DELETE'))),
        await user.send('post', '/r4', bundle('batch', entry('PUT', { resource: patient('1') }))),
      ];
      expect(new Set(answers.map(statusOf))).toEqual(new Set(['400']));
      const [first] = answers;
      expect(resourceOf(first!)['issue']).toEqual([
        expect.objectContaining({ diagnostics: expect.stringContaining(parameterOf(query)) }),
      ]);
      const counts = await Promise.all(
        ['Patient', 'Patient?_lastUpdated=gt2000&gender:missing=true', 'Observation'].map(
          async (search) => (await user.bundle(`/r4/${search}${search.includes('?') ? '&' : '?'}_summary=count`)).total,
        ),
      );
      expect(counts).toEqual([3, 3, 1]);
    },
  );

  const parameterOf = (query: string): string => /_[a-zA-Z]+(?==[^=]*$)/.exec(query)?.[0] ?? '';
});

describe.each(releases)('%s: a conditional delete says how many resources it has deleted', (release) => {
  it.each([
    ['none', '0 resources are deleted'],
    ['one', '1 resource is deleted'],
    ['two', '2 resources are deleted'],
  ])('%s', async (value, diagnostics) => {
    const outcome = {
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'information', code: 'informational', diagnostics }],
    };
    const response = { status: '200 OK' };
    const entry = release === 'dstu2' ? { resource: outcome, response } : { response: { ...response, outcome } };
    const answerTo = async (send: (user: RecordOverHttp) => PromiseLike<Response>): Promise<unknown> => {
      const user = store.user();
      for (const each of ['one', 'two', 'two']) await user.create(release, patient(each));
      return resourceOf(await send(user));
    };
    const address = `/${release}/Patient?identifier=s|${value}`;
    expect(await answerTo((user) => user.send('delete', address))).toEqual(outcome);
    for (const type of ['batch', 'transaction'] as const)
      expect(await answerTo((user) => user.send('post', `/${release}`, bundle(type, removal(value))))).toMatchObject({
        entry: [entry],
      });
  });

  it('unless the client wants no body', async () => {
    const user = store.user();
    await user.create(release, patient('1'));
    const answer = await user.send('delete', `/${release}/Patient?identifier=s|1`).set('Prefer', 'return=minimal');
    expect([answer.status, (await user.bundle(`/${release}/Patient`)).total]).toEqual([204, 0]);
  });
});

it('says so in a batch whose responses are at the limit of their size', async () => {
  const small = await FhirStoreUnderTest.start({ contentLimits: { bundleBytes: 1000 } });
  const user = small.user();
  const { id } = await user.create('r4', patient('1', { name: [{ text: 'x'.repeat(700) }] }));
  const read = { request: { method: 'GET', url: `Patient/${id}` } };
  const answer = await user.send('post', '/r4', bundle('batch', read, removal('2'), removal('1')));
  expect(resourceOf(answer)['entry']).toMatchObject([
    { response: { status: '200 OK' } },
    { response: { status: '200 OK', outcome: { issue: [{ diagnostics: '0 resources are deleted' }] } } },
    { response: { status: '200 OK', outcome: { issue: [{ diagnostics: '1 resource is deleted' }] } } },
  ]);
  await small.stop();
});

it('creates and deletes by criteria in one transaction', async () => {
  const user = store.user();
  expect(statusOf(await user.send('post', '/r4', bundle('transaction', creation('1'), removal('2'))))).toBe('201');
});
