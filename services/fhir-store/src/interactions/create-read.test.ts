import type { Release } from '@tributary/fhir-definitions';
import { FhirStoreUnderTest, baseUrl } from '../../test/fhir-store-under-test';
import { resourceOf, textOf } from '../../test/record-over-http';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const releases: Release[] = ['dstu2', 'stu3', 'r4'];

describe('create and read', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  it.each(releases)(
    '%s: assigns an id, responds with the stored resource, and finds it immediately',
    async (release) => {
      const user = store.user();
      const response = await user.send('post', `/${release}/Patient`, {
        resourceType: 'Patient',
        id: 'mine',
        meta: { versionId: '9', lastUpdated: '2001-01-01T00:00:00Z', tag: [{ code: 'x' }] },
        gender: 'female',
        birthDate: '1990-07-04',
      });
      expect(response.status).toBe(201);
      const created = resourceOf(response);
      expect(created).toMatchObject({
        resourceType: 'Patient',
        id: expect.stringMatching(uuid),
        gender: 'female',
        birthDate: release === 'dstu2' ? '1990-07-04T00:00:00.000Z' : '1990-07-04',
        meta: { versionId: '1', tag: [{ code: 'x' }] },
      });
      expect(response.headers).toMatchObject({
        etag: 'W/"1"',
        location: `${baseUrl}/${release}/Patient/${created.id}/_history/1`,
        'content-type':
          release === 'dstu2' ? 'application/json+fhir; charset=utf-8' : 'application/fhir+json; charset=utf-8',
        'last-modified': new Date(created.meta?.lastUpdated ?? '').toUTCString(),
      });
      const read = await user.get(`/${release}/Patient/${created.id}`);
      expect(read.status).toBe(200);
      expect(resourceOf(read)).toEqual({ ...created, birthDate: '1990-07-04' });
      expect((await user.bundle(`/${release}/Patient`)).matches).toEqual([{ ...created, birthDate: '1990-07-04' }]);
      for (const other of releases.filter((each) => each !== release))
        expect((await user.get(`/${other}/Patient/${created.id}`)).status).toBe(404);
    },
  );

  it('keeps the text of decimals', async () => {
    const user = store.user();
    const text =
      '{"resourceType":"Observation","status":"final","code":{"text":"weight"},"valueQuantity":{"value":1.10,"unit":"kg"},"referenceRange":[{"low":{"value":0.00},"text":"x"}]}';
    const created = await user.send('post', '/r4/Observation', text);
    expect(created.status).toBe(201);
    const read = textOf(await user.get(`/r4/Observation/${resourceOf(created).id}`));
    expect(read).toContain('"value":1.10,');
    expect(read).toContain('"value":0.00}');
    expect(textOf(await user.get('/r4/Observation'))).toContain('"value":1.10,');
  });

  it('hides the resources of other users', async () => {
    const [owner, other] = [store.user(), store.user()];
    const { id } = await owner.create('r4', { resourceType: 'Patient' });
    await other.create('r4', { resourceType: 'Patient' });
    expect((await other.get(`/r4/Patient/${id}`)).status).toBe(404);
    expect((await other.bundle(`/r4/Patient?_id=${id}`)).matches).toEqual([]);
  });

  it('reports the faults of a resource with their locations', async () => {
    const user = store.user();
    const response = await user.send('post', '/r4/Patient', {
      resourceType: 'Patient',
      gender: 'unknowable',
      name: [{ family: 7 }],
      nonsense: true,
    });
    expect(response.status).toBe(422);
    const expressions = (resourceOf(response)['issue'] as { expression: string[] }[]).flatMap(
      (issue) => issue.expression,
    );
    expect(expressions).toEqual(expect.arrayContaining(['Patient.gender', 'Patient.name[0].family']));
    expect(textOf(response)).not.toContain('unknowable');
    const dstu2 = await user.send('post', '/dstu2/Patient', { resourceType: 'Patient', gender: 'unknowable' });
    expect(resourceOf(dstu2)['issue']).toEqual([expect.objectContaining({ location: ['/f:Patient/f:gender'] })]);
  });

  it.each([
    ['what is no JSON', '{"resourceType":"Patient",', 400],
    ['an empty body', '', 400],
    ['an array', '[]', 400],
    ['a property given twice', '{"resourceType":"Patient","gender":"male","gender":"female"}', 400],
    ['another type', '{"resourceType":"Observation"}', 400],
    ['an unknown type', '{"resourceType":"Patience"}', 400],
    ['a type of another release', '{"resourceType":"MedicationOrder"}', 400],
    ['a prototype key', '{"resourceType":"Patient","__proto__":{"x":1}}', 400],
    ['deep nesting', `{"resourceType":"Patient","extension":${'['.repeat(5000)}${']'.repeat(5000)}}`, 400],
  ])('refuses %s', async (_what, body, status) => {
    const response = await store.user().send('post', '/r4/Patient', body);
    expect(response.status).toBe(status);
    expect(resourceOf(response)).toMatchObject({
      resourceType: 'OperationOutcome',
      issue: [{ severity: expect.any(String), code: expect.any(String), diagnostics: expect.any(String) }],
    });
  });

  it('refuses bodies above 20 MB, other encodings and XML', async () => {
    const user = store.user();
    const huge = `{"resourceType":"Patient","language":"${'x'.repeat(20 * 1024 * 1024)}"}`;
    expect((await user.send('post', '/r4/Patient', huge)).status).toBe(413);
    expect(
      (await user.send('post', '/r4/Patient', '<Patient/>').set('Content-Type', 'application/fhir+xml')).status,
    ).toBe(415);
    expect((await user.send('post', '/r4/Patient', '{}').set('Content-Encoding', 'snappy')).status).toBe(415);
    for (const accept of ['application/fhir+xml', 'application/xml', 'text/turtle'])
      expect((await user.get('/r4/Patient').set('Accept', accept)).status).toBe(406);
    expect((await user.get('/r4/Patient?_format=xml')).status).toBe(406);
    for (const format of ['json', 'application/json', 'application/fhir+json', 'application/fhir%2Bjson'])
      expect((await user.get(`/r4/Patient?_format=${format}`)).status).toBe(200);
    expect((await user.get('/r4/Patient').set('Accept', 'application/json')).headers['content-type']).toBe(
      'application/json; charset=utf-8',
    );
  });

  it('implements Prefer: return', async () => {
    const user = store.user();
    const minimal = await user.send('post', '/r4/Patient', { resourceType: 'Patient' }).set('Prefer', 'return=minimal');
    expect([minimal.status, textOf(minimal)]).toEqual([201, '']);
    const outcome = await user
      .send('post', '/r4/Patient', { resourceType: 'Patient' })
      .set('Prefer', 'return=OperationOutcome');
    expect(resourceOf(outcome).resourceType).toBe('OperationOutcome');
  });

  it('responds with 304 when the client has the version', async () => {
    const user = store.user();
    const { id } = await user.create('r4', { resourceType: 'Patient' });
    const { headers } = await user.get(`/r4/Patient/${id}`);
    expect((await user.get(`/r4/Patient/${id}`).set('If-None-Match', 'W/"1"')).status).toBe(304);
    expect((await user.get(`/r4/Patient/${id}`).set('If-None-Match', 'W/"2"')).status).toBe(200);
    expect(
      (await user.get(`/r4/Patient/${id}`).set('If-Modified-Since', headers['last-modified'] as string)).status,
    ).toBe(304);
    expect((await user.get(`/r4/Patient/${id}`).set('If-Modified-Since', new Date(0).toUTCString())).status).toBe(200);
  });

  it('requires a token, except for the capability statement', async () => {
    const user = store.user();
    const stranger = user.get('/r4/Patient').auth('no token of anybody at all', { type: 'bearer' });
    expect((await stranger).status).toBe(401);
    const nobody = await user.get('/r4/Patient').set('Authorization', 'Basic abc');
    expect([nobody.status, nobody.headers['www-authenticate'], resourceOf(nobody).resourceType]).toEqual([
      401,
      expect.stringMatching(/^Bearer /),
      'OperationOutcome',
    ]);
    const metadata = await user.get('/r4/metadata').unset('Authorization');
    expect([metadata.status, resourceOf(metadata)['fhirVersion']]).toEqual([200, '4.0.1']);
    expect(resourceOf(await user.get('/dstu2/metadata')).resourceType).toBe('Conformance');
  });

  it('responds with 404 to unknown paths and with 405 and Allow to other methods', async () => {
    const user = store.user();
    for (const address of [
      '/r4/Patience',
      '/r4/Patient/unknown',
      '/r4/Patient/0190aaaa-0000-7000-8000-000000000000',
      '/r4/MedicationOrder',
      '/r4/nothing',
      '/r5/Patient',
      '/r4/a/b/c/d',
    ])
      expect((await user.get(address)).status).toBe(404);
    const wrong = await user.send('delete', '/r4/metadata');
    expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'GET, HEAD']);
    expect((await user.get('/r4/%E0%A4%A')).status).toBe(400);
    expect((await user.send('head', '/r4/Patient')).status).toBe(200);
  });

  it('describes itself', async () => {
    const document = await store.user().get('/openapi.json').set('Accept-Encoding', 'gzip');
    expect([document.status, document.headers['content-encoding']]).toEqual([200, 'gzip']);
    expect(JSON.parse(textOf(document)).paths).toHaveProperty(['/{release}/{type}']);
  });
});
