import type { JsonObject } from '@tributary/fhir-json';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import { RecordOverHttp, resourceOf } from '../../test/record-over-http';

describe.each([false, true])('a token with the scope patient/*.rs, with a thread for long work: %s', (thread) => {
  let store: FhirStoreUnderTest;
  let writer: RecordOverHttp;
  let reader: RecordOverHttp;
  let id: string;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start({ thread });
    writer = store.user();
    const token = store.auth.addToken('client', writer.userId, 'patient/*.rs');
    reader = new RecordOverHttp(store.url, writer.userId, token);
    ({ id } = await writer.create('r4', observation));
  });
  afterAll(() => store.stop());

  const observation = { resourceType: 'Observation', status: 'final', code: { text: 'weight' } };
  const bundle = (type: string, ...entry: JsonObject[]): JsonObject => ({ resourceType: 'Bundle', type, entry });
  const get = { request: { method: 'GET', url: 'Observation' } };
  const post = { resource: observation, request: { method: 'POST', url: 'Observation' } };
  const count = async (): Promise<number> => (await writer.all('/r4/Observation')).length;

  it.each<['get' | 'post', string, JsonObject | undefined]>([
    ['get', 'Observation', undefined],
    ['post', 'Observation/_search', undefined],
    ['get', '_history', undefined],
    ['get', 'Observation/$lastn', undefined],
    ['post', 'Observation/$validate', observation],
    ['post', '', bundle('batch', get)],
    ['post', '', bundle('transaction', get)],
  ])('allows %s /%s', async (method, path, body) => {
    expect((await reader.send(method, `/r4/${path}`, body)).status).toBe(200);
  });

  it.each<['post' | 'put' | 'patch' | 'delete', string, JsonObject | undefined]>([
    ['post', 'Observation', observation],
    ['put', 'Observation/{id}', observation],
    ['put', 'Observation?code=x', observation],
    ['patch', 'Observation/{id}', { resourceType: 'Parameters' }],
    ['patch', 'Observation?code=x', { resourceType: 'Parameters' }],
    ['delete', 'Observation/{id}', undefined],
    ['delete', 'Observation?code=x', undefined],
    ['post', 'Observation/{id}/$meta-add', { resourceType: 'Parameters' }],
    ['post', 'Observation/{id}/$meta-delete', { resourceType: 'Parameters' }],
    ['post', '', bundle('transaction', get, post)],
  ])('refuses %s /%s', async (method, path, body) => {
    const before = await count();
    const refused = await reader.send(method, `/r4/${path.replace('{id}', id)}`, body);
    expect(refused.status).toBe(403);
    expect(resourceOf(refused)).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ code: 'forbidden' }] });
    expect(refused.headers['www-authenticate']).toBe(
      'Bearer realm="tributary", error="insufficient_scope", scope="patient/*.cruds", resource_metadata="https://fhir.example.org/.well-known/oauth-protected-resource/r4"',
    );
    expect(await count()).toBe(before);
  });

  it('refuses the writes of a batch, and allows its reads', async () => {
    const before = await count();
    const remove = { request: { method: 'DELETE', url: `Observation/${id}` } };
    const answer = resourceOf(await reader.send('post', '/r4', bundle('batch', get, post, remove)));
    expect(answer['entry']).toMatchObject([
      { response: { status: expect.stringMatching(/^200/) } },
      { response: { status: expect.stringMatching(/^403/) } },
      { response: { status: expect.stringMatching(/^403/) } },
    ]);
    expect(await count()).toBe(before);
  });

  it('has no influence on a token with the scope patient/*.cruds', async () => {
    const both = new RecordOverHttp(
      store.url,
      writer.userId,
      store.auth.addToken('client', writer.userId, 'patient/*.cruds'),
    );
    expect(await both.create('r4', observation)).toMatchObject({ status: 'final' });
    expect((await both.get('/r4/Observation')).status).toBe(200);
  });
});
