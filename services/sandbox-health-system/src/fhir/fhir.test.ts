import { parseJson } from '@tributary/fhir-json';
import { validateResource } from '@tributary/fhir-validation';
import request from 'supertest';
import { releases } from '../releases';
import {
  everyPage,
  get,
  origin,
  startSandbox,
  tokensFor,
  type Bundle,
  type Resource,
  type Running,
  type Tokens,
} from '../../test/smart-client';

let running: Running;
let tokens: Tokens;
beforeAll(async () => {
  running = await startSandbox();
  tokens = await tokensFor(running, { hint: 'amelia-hart' });
});

const search = async (path: string): Promise<Resource[]> => everyPage(running, path, tokens.access_token);

describe.each(releases)('the %s API', (release) => {
  it('finds the OAuth endpoints and the types in its statement of capabilities', async () => {
    const answer = await get(running, `/fhir/${release}/metadata`).expect(200);
    const statement = JSON.parse(answer.body as string) as {
      resourceType: string;
      rest: {
        security: { extension: { extension: { url: string; valueUri: string }[] }[] };
        resource: { type: string }[];
      }[];
    };
    expect(statement.resourceType).toBe(release === 'dstu2' ? 'Conformance' : 'CapabilityStatement');
    expect(statement.rest[0]!.security.extension[0]!.extension).toContainEqual({
      url: 'token',
      valueUri: `${origin}/oauth2/token`,
    });
    const types = statement.rest[0]!.resource.map(({ type }) => type);
    const prescription = release === 'dstu2' ? 'MedicationOrder' : 'MedicationRequest';
    expect(types).toEqual(
      expect.arrayContaining([
        'Patient',
        'Observation',
        'Condition',
        'AllergyIntolerance',
        'Procedure',
        prescription,
        'MedicationStatement',
        'Immunization',
        'DiagnosticReport',
        'RelatedPerson',
        'Encounter',
        'DocumentReference',
        'Practitioner',
        'Binary',
      ]),
    );
    await get(running, `/fhir/${release}/.well-known/smart-configuration`).expect(release === 'dstu2' ? 404 : 200);
  });

  it('answers with valid resources: capabilities, pages, problems', async () => {
    for (const path of [
      'metadata',
      'Observation?_count=2',
      'Patient',
      'Practitioner/nobody',
      'Observation?_lastUpdated=soon',
    ]) {
      const answer = await get(running, `/fhir/${release}/${path}`, tokens.access_token);
      const issues = validateResource(release, parseJson(answer.body as string)).filter(
        ({ severity }) => severity === 'error' || severity === 'fatal',
      );
      expect([path, issues]).toEqual([path, []]);
    }
  });

  it('serves the media type of its release', async () => {
    const media = release === 'dstu2' ? 'application/json+fhir' : 'application/fhir+json';
    const found = await get(running, `/fhir/${release}/Patient`, tokens.access_token).expect(200);
    expect(found.headers['content-type']).toBe(`${media}; charset=utf-8`);
    const refused = await get(running, `/fhir/${release}/Patient`, tokens.access_token)
      .set('Accept', 'application/fhir+xml')
      .expect(406);
    expect(refused.headers['content-type']).toContain(media);
    expect(JSON.parse(refused.body as string)).toMatchObject({ resourceType: 'OperationOutcome' });
  });

  it('pages through all of a type, each resource once', async () => {
    const all = await search(`/fhir/${release}/Observation?patient=${tokens.patient}&_count=37`);
    expect(all.length).toBeGreaterThan(200);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  });

  it('reads what a resource refers to, and nothing that is not there', async () => {
    const [encounter] = await search(`/fhir/${release}/Encounter?_count=1000`);
    const { reference } = (encounter!['participant'] as { individual: { reference: string } }[])[0]!.individual;
    await get(running, `/fhir/${release}/${reference}`, tokens.access_token).expect(200);
    await get(running, `/fhir/${release}/Practitioner/nobody`, tokens.access_token).expect(404);
    expect(await search(`/fhir/${release}/Practitioner`)).toEqual([]);
    expect(await search(`/fhir/${release}/Practitioner?_id=${reference.split('/')[1]}`)).toHaveLength(1);
  });
});

describe('searches', () => {
  it('by code, category, and the time of the last change', async () => {
    const all = await search('/fhir/r4/Observation?_count=1000');
    const heights = await search('/fhir/r4/Observation?code=http://loinc.org|8302-2,no-such');
    expect(heights.length).toBeGreaterThan(10);
    expect(await search('/fhir/r4/Observation?code=8302-2')).toHaveLength(heights.length);
    expect(await search('/fhir/r4/Observation?code=http://snomed.info/sct|8302-2')).toEqual([]);
    const laboratory = await search('/fhir/r4/Observation?category=laboratory');
    const vital = await search('/fhir/r4/Observation?category=vital-signs,social-history');
    expect(laboratory.length + vital.length).toBe(all.length);
    const before = await search('/fhir/r4/Observation?_lastUpdated=lt2020');
    const since = await search('/fhir/r4/Observation?_lastUpdated=ge2020-01-01T00:00:00Z');
    expect(before.length + since.length).toBe(all.length);
    expect(before.length).toBeGreaterThan(0);
    await get(running, '/fhir/r4/Observation?_lastUpdated=soon', tokens.access_token).expect(400);
  });

  it('find nothing of another patient', async () => {
    expect(await search('/fhir/r4/Observation?patient=someone-else')).toEqual([]);
    expect(await search('/fhir/r4/Patient?_id=someone-else')).toEqual([]);
    expect(await search(`/fhir/r4/Observation?subject=Patient/${tokens.patient}&_count=1000`)).not.toEqual([]);
  });

  it('may be posted', async () => {
    const answer = await request(running.app)
      .post('/fhir/r4/Observation/_search')
      .set('Authorization', `Bearer ${tokens.access_token}`)
      .type('form')
      .send({ code: '8302-2', _count: '3' })
      .buffer(true)
      .expect(200);
    const bundle = JSON.parse(answer.text ?? String(answer.body)) as Bundle;
    expect(bundle.entry).toHaveLength(3);
  });

  it('need a token', async () => {
    const answer = await get(running, '/fhir/r4/Observation').expect(401);
    expect(answer.headers['www-authenticate']).toContain('Bearer');
    await get(running, '/fhir/r4/Observation', 'forged.token').expect(401);
  });
});

it('serves the content of a Binary, or the Binary', async () => {
  const [document] = await search('/fhir/r4/DocumentReference?_count=1000');
  const { url, size } = (document!['content'] as { attachment: { url: string; size: number } }[])[0]!.attachment;
  const native = await get(running, `/fhir/r4/${url}`, tokens.access_token).expect(200);
  expect(native.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(Buffer.byteLength(native.body as string)).toBe(size);
  const resource = await get(running, `/fhir/r4/${url}`, tokens.access_token)
    .set('Accept', 'application/fhir+json')
    .expect(200);
  expect(JSON.parse(resource.body as string)).toMatchObject({
    resourceType: 'Binary',
    contentType: 'text/plain; charset=utf-8',
  });
});

it('is read-only, and responds with 404 for other releases and addresses', async () => {
  await request(running.app).post('/fhir/r4/Patient').send({}).expect(405);
  await get(running, '/fhir/r5/metadata').expect(404);
  await get(running, '/fhir/r4/metadata/more/and/more', tokens.access_token).expect(404);
  await get(running, '/fhir/r4?_getpages=forged', tokens.access_token).expect(410);
});

it('lists its people for scripts', async () => {
  const answer = await request(running.app).get('/sandbox/patients').expect(200);
  expect(answer.body).toContainEqual({ username: 'amelia-hart', password: 'sandbox', releases: [...releases] });
});
