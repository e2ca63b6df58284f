import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import { resourceOf, textOf } from '../../test/record-over-http';

describe('cross-origin access to the FHIR API', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  it('responds to a preflight request without a token', async () => {
    const preflight = await store
      .user()
      .send('options', '/r4/Patient')
      .unset('Authorization')
      .set('Origin', 'https://app.example')
      .set('Access-Control-Request-Method', 'PATCH')
      .set('Access-Control-Request-Headers', 'authorization,content-type,if-match');
    expect([preflight.status, textOf(preflight)]).toEqual([204, '']);
    expect(preflight.headers).toMatchObject({
      allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': 'authorization, content-type, if-match',
      'x-request-id': expect.any(String),
    });
  });

  it.each([
    ['/r4/Patient', 200],
    ['/stu3/metadata', 200],
    ['/r4/Patient/unknown', 404],
    ['/dstu2/Patient?name:nonsense=x', 400],
  ])('lets pages of every origin read the response of %s', async (address, status) => {
    const response = await store.user().get(address);
    expect([response.status, response.headers['access-control-allow-origin']]).toEqual([status, '*']);
    expect(response.headers['cross-origin-resource-policy']).toBe('cross-origin');
    expect(response.headers['access-control-expose-headers']).toContain('ETag');
  });

  it('announces cross-origin access in each release', async () => {
    for (const release of ['dstu2', 'stu3', 'r4']) {
      const statement = resourceOf(await store.user().get(`/${release}/metadata`));
      expect(statement).toMatchObject({ rest: [{ security: { cors: true } }] });
    }
  });
});
