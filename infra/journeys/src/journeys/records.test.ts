import { type ClientCredentials, type User, newClient, newUser } from '../suite/users';
import { Json, bearer, http } from '../suite/http';
import { readySuite } from '../suite/ready';

const ready = readySuite();
const releases = ['dstu2', 'stu3', 'r4'] as const;

const patientOf = (release: string): object => ({
  resourceType: 'Patient',
  id: 'chosen-by-the-client',
  name: [
    { use: 'official', text: 'Ines Rivera', family: release === 'dstu2' ? ['Rivera'] : 'Rivera', given: ['Ines'] },
  ],
  gender: 'female',
  birthDate: '1990-07-04',
});

describe.each(releases)('the FHIR record in %s', (release) => {
  let client: ClientCredentials;
  let user: User;
  const base = `${ready.base_url}/${release}`;
  const headers = (): Record<string, string> => bearer(user.access_token);
  beforeAll(async () => {
    client = await newClient(ready, `records ${release}`);
    user = await newUser(ready, client);
  });

  it('creates a Patient that a search finds after the response', async () => {
    const created = await http('POST', `${base}/Patient`, { headers: headers(), json: patientOf(release) });
    expect(created.status).toBe(201);
    const id = created.json.text('id');
    expect(id).not.toBe('chosen-by-the-client');
    expect(created.json.value).toMatchObject({
      birthDate: release === 'dstu2' ? '1990-07-04T00:00:00.000Z' : '1990-07-04',
      meta: { versionId: '1', lastUpdated: expect.any(String) },
    });
    expect(created.headers.get('location')).toBe(`${base}/Patient/${id}/_history/1`);
    expect(created.headers.get('etag')).toBe('W/"1"');
    expect(created.headers.get('content-type')).toContain(
      release === 'dstu2' ? 'application/json+fhir' : 'application/fhir+json',
    );
    const all = await http('GET', `${base}/Patient`, { headers: headers() });
    expect(all.json.value).toMatchObject({
      resourceType: 'Bundle',
      type: 'searchset',
      entry: [{ resource: { id, birthDate: '1990-07-04' } }],
    });
    const read = await http('GET', `${base}/Patient/${id}`, { headers: headers() });
    expect(read.json.value).toMatchObject({ resourceType: 'Patient', id, birthDate: '1990-07-04' });
    expect((await http('GET', `${base}/Patient?_id=${id}`, { headers: headers() })).json.at('total')).toBe(1);
  });

  it('finds conditions and observations by code, and pages through them without loss during writes', async () => {
    const condition = (code: string): object => ({
      resourceType: 'Condition',
      code: { coding: [{ system: 'http://snomed.info/sct', code }] },
      ...(release === 'dstu2'
        ? { patient: { reference: 'Patient/x' }, verificationStatus: 'confirmed' }
        : { subject: { reference: 'Patient/x' } }),
    });
    for (const code of ['44054006', '38341003', '44054006'])
      expect((await http('POST', `${base}/Condition`, { headers: headers(), json: condition(code) })).status).toBe(201);
    expect(
      (await http('GET', `${base}/Condition?code=44054006`, { headers: headers() })).json.list('entry'),
    ).toHaveLength(2);
    const observation = (value: string): string =>
      `{"resourceType":"Observation","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"29463-7"}]},"subject":{"reference":"Patient/x"},"valueQuantity":{"value":${value},"unit":"kg","system":"http://unitsofmeasure.org","code":"kg"}}`;
    for (let index = 0; index < 25; index++)
      expect(
        (
          await http('POST', `${base}/Observation`, {
            headers: { ...headers(), 'Content-Type': 'application/json' },
            body: observation(`${60 + index}.50`),
          })
        ).status,
      ).toBe(201);
    const seen: string[] = [];
    let url: string | undefined = `${base}/Observation?code=http%3A%2F%2Floinc.org%7C29463-7&_count=10`;
    while (url) {
      const page: Awaited<ReturnType<typeof http>> = await http('GET', url, { headers: headers() });
      expect(page.text).toContain('.50');
      seen.push(...page.json.list('entry').map((entry) => new Json(entry).text('resource', 'id')));
      await http('POST', `${base}/Observation`, {
        headers: { ...headers(), 'Content-Type': 'application/json' },
        body: observation('99.50'),
      });
      const next = page.json
        .list('link')
        .map((link) => new Json(link))
        .find((link) => link.at('relation') === 'next');
      url = next?.text('url');
      if (seen.length > 60) break;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThanOrEqual(25);
    const recent = await http('GET', `${base}/Observation?_lastUpdated=gt2020-01-01&_count=1`, { headers: headers() });
    expect(recent.json.list('entry')).toHaveLength(1);
  });

  it('rejects malformed bodies with 400, invalid resources with 422, XML with 406', async () => {
    const notFhir = await http('POST', `${base}/Patient`, { headers: headers(), json: { hello: 'world' } });
    expect([notFhir.status, notFhir.json.at('resourceType')]).toEqual([400, 'OperationOutcome']);
    const broken = await http('POST', `${base}/Patient`, {
      headers: { ...headers(), 'Content-Type': 'application/fhir+json' },
      body: '{"resourceType":"Patient",',
    });
    expect([broken.status, broken.json.at('resourceType')]).toEqual([400, 'OperationOutcome']);
    const invalid = await http('POST', `${base}/Patient`, {
      headers: headers(),
      json: { resourceType: 'Patient', gender: 'sometimes' },
    });
    expect(invalid.status).toBe(422);
    expect(JSON.stringify(invalid.json.value)).toContain(
      release === 'dstu2' ? '/f:Patient/f:gender' : 'Patient.gender',
    );
    expect(
      (await http('GET', `${base}/Patient`, { headers: { ...headers(), Accept: 'application/fhir+xml' } })).status,
    ).toBe(406);
    expect((await http('GET', `${base}/Spaceship`, { headers: headers() })).status).toBe(404);
    expect(
      (await http('GET', `${base}/Patient/00000000-0000-4000-8000-000000000000`, { headers: headers() })).status,
    ).toBe(404);
  });

  it('hides the records of other users', async () => {
    const created = await http('POST', `${base}/Patient`, { headers: headers(), json: patientOf(release) });
    const stranger = await newUser(ready, client);
    expect(
      (await http('GET', `${base}/Patient/${created.json.text('id')}`, { headers: bearer(stranger.access_token) }))
        .status,
    ).toBe(404);
    expect(
      (await http('GET', `${base}/Patient`, { headers: bearer(stranger.access_token) })).json.list('entry'),
    ).toEqual([]);
  });

  it('serves the CapabilityStatement without a token', async () => {
    const metadata = await http('GET', `${base}/metadata`);
    expect([metadata.status, metadata.json.at('resourceType')]).toEqual([
      200,
      release === 'dstu2' ? 'Conformance' : 'CapabilityStatement',
    ]);
  });
});
