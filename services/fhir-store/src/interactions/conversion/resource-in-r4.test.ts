import { convertToR4 } from '@tributary/fhir-conversion';
import { type JsonObject, type Resource, stringifyJson } from '@tributary/fhir-json';
import { validateResource } from '@tributary/fhir-validation';
import { typeCodeOf } from '@tributary/record-storage';
import type { Response, Test } from 'supertest';
import { FhirStoreUnderTest, baseUrl } from '../../../test/fhir-store-under-test';
import { Bundle, type RecordOverHttp, resourceOf, textOf } from '../../../test/record-over-http';

const convertResource = 'application/fhir+json; fhirVersion=4.0';
const contentType = 'application/fhir+json; fhirVersion=4.0; charset=utf-8';

const patient = {
  resourceType: 'Patient',
  gender: 'female',
  birthDate: '1990-07-04',
  animal: { species: { text: 'cat' } },
};
const order = (subject: string, more: JsonObject = {}): JsonObject => ({
  resourceType: 'MedicationOrder',
  status: 'active',
  patient: { reference: `Patient/${subject}` },
  medicationCodeableConcept: { text: 'x' },
  ...more,
});

let store: FhirStoreUnderTest;
beforeAll(async () => {
  store = await FhirStoreUnderTest.start();
});
afterAll(() => store.stop());

function ask(user: RecordOverHttp, address: string, accept = convertResource): Test {
  return user.get(address).set('Accept', accept);
}

/** The Bundle of a response. Fails when the response is not a valid R4 Bundle. */
function bundleOf(response: Response): Bundle {
  expect([response.status, response.headers['content-type']]).toEqual([200, contentType]);
  const resource = resourceOf(response);
  expect(validateResource('r4', resource)).toEqual([]);
  return new Bundle(resource);
}

function issuesOf(resource: Resource | undefined): { severity: string; code: string; diagnostics: string }[] {
  return (resource?.['issue'] ?? []) as unknown as { severity: string; code: string; diagnostics: string }[];
}

/** Reads a resource in its own release and converts it with convertToR4. */
async function converted(user: RecordOverHttp, address: string): Promise<Resource> {
  const { resource, reason } = convertToR4(
    address.startsWith('/dstu2') ? 'dstu2' : 'stu3',
    resourceOf(await user.get(address)),
  );
  if (!resource) throw new Error(reason);
  return resource;
}

/** Stores a resource without validation, as a collection does. */
async function storeFaulty(user: RecordOverHttp, type: string, id: string, members: string): Promise<void> {
  const record = store.storage.record(user.userId, 'client');
  await record.write([
    { typeCode: typeCodeOf('stu3', type), id, body: { meta: '', members }, index: { terms: [], ranges: [] } },
  ]);
}

describe('a read in R4', () => {
  it('converts as the export does, under the id, version and ETag of the resource', async () => {
    const user = store.user();
    const { id } = await user.create('dstu2', patient);
    await user.send('put', `/dstu2/Patient/${id}`, { ...patient, id, gender: 'male' });
    for (const [address, version] of [
      [`/dstu2/Patient/${id}`, '2'],
      [`/dstu2/Patient/${id}/_history/1`, '1'],
    ] as const) {
      const response = await ask(user, address);
      expect([response.status, response.headers['content-type'], response.headers['etag']]).toEqual([
        200,
        contentType,
        `W/"${version}"`,
      ]);
      expect(textOf(response)).toBe(stringifyJson(await converted(user, address)));
      const resource = resourceOf(response);
      expect(resource).toMatchObject({ id, meta: { versionId: version, tag: [{ code: 'converted-from-dstu2' }] } });
      expect(validateResource('r4', resource)).toEqual([]);
    }
    expect((await ask(user, `/dstu2/Patient/${id}`).set('If-None-Match', 'W/"2"')).status).toBe(304);
    const head = await user.send('head', `/dstu2/Patient/${id}`).set('Accept', convertResource);
    expect([head.status, head.headers['content-type']]).toEqual([200, contentType]);
    expect(textOf(await user.get(`/dstu2/Patient/${id}`))).not.toContain('converted-from');
  });

  it('applies _summary and _elements after the conversion', async () => {
    const user = store.user();
    const { id } = await user.create(
      'dstu2',
      order((await user.create('dstu2', patient)).id, { dateWritten: '2020-01-02', note: 'as needed' }),
    );
    const { medicationCodeableConcept: _code, ...part } = resourceOf(
      await ask(user, `/dstu2/MedicationOrder/${id}?_elements=authoredOn`),
    );
    expect(part).toEqual({
      resourceType: 'MedicationRequest',
      id,
      meta: expect.anything(),
      status: 'active',
      intent: 'order',
      subject: expect.anything(),
      authoredOn: '2020-01-02',
    });
    const codes = ((part.meta?.['tag'] ?? []) as JsonObject[]).map(({ code }) => code);
    expect(codes).toEqual(['converted-from-dstu2', 'SUBSETTED']);
    const summary = resourceOf(await ask(user, `/dstu2/MedicationOrder/${id}?_summary=true`));
    expect([summary['authoredOn'], summary['note']]).toEqual(['2020-01-02', undefined]);
  });

  it('finds a MedicationOrder by its name in R4', async () => {
    const user = store.user();
    const subject = await user.create('dstu2', patient);
    const { id } = await user.create('dstu2', order(subject.id));
    for (const type of ['MedicationOrder', 'MedicationRequest']) {
      expect(resourceOf(await ask(user, `/dstu2/${type}/${id}`))).toMatchObject({
        resourceType: 'MedicationRequest',
        id,
        subject: { reference: `Patient/${subject.id}` },
      });
      for (const address of [`/dstu2/${type}?patient=${subject.id}`, `/dstu2/Patient/${subject.id}/${type}`])
        expect(bundleOf(await ask(user, address)).entries.map(({ fullUrl }) => fullUrl)).toEqual([
          `${baseUrl}/dstu2/MedicationRequest/${id}`,
        ]);
    }
    expect((await user.get(`/dstu2/MedicationRequest/${id}`)).status).toBe(404);
    expect((await ask(user, `/stu3/MedicationOrder/${id}`)).status).toBe(404);
  });

  it('responds with 406 and the reason when the resource cannot be converted', async () => {
    const user = store.user();
    const { id } = await user.create('dstu2', { resourceType: 'BodySite', patient: { reference: 'Patient/1' } });
    const response = await ask(user, `/dstu2/BodySite/${id}`);
    expect([response.status, issuesOf(resourceOf(response))]).toEqual([
      406,
      [
        expect.objectContaining({
          code: 'not-supported',
          diagnostics: 'BodySite: there is no conversion of this type to R4',
        }),
      ],
    ]);
    const faulty = '0190aaaa-0000-7000-8000-00000000000a';
    await storeFaulty(user, 'Observation', faulty, '"status":"final","code":{"text":"x"},"nickname":"Secret-4711"');
    const refused = await ask(user, `/stu3/Observation/${faulty}`);
    expect([refused.status, issuesOf(resourceOf(refused))[0]?.diagnostics]).toEqual([
      406,
      'Observation: not converted to R4. The release of the resource has no element Observation.nickname.',
    ]);
    expect(textOf(refused)).not.toContain('Secret');
    expect((await ask(user, '/stu3/Observation/0190aaaa-0000-7000-8000-00000000000b')).status).toBe(404);
  });

  it('returns the stored resource at the URL of the same release, and responds with 406 to other releases and writes', async () => {
    const user = store.user();
    for (const [release, version] of [
      ['dstu2', '1.0'],
      ['stu3', '3.0'],
      ['r4', '4.0'],
    ] as const) {
      const { id } = await user.create(release, { resourceType: 'Patient', gender: 'male' });
      const native = textOf(await user.get(`/${release}/Patient/${id}`));
      const response = await ask(user, `/${release}/Patient/${id}`, `application/fhir+json; fhirVersion=${version}`);
      expect([response.status, textOf(response)]).toEqual([200, native]);
      expect(response.headers['content-type']).toContain(`fhirVersion=${version}; charset`);
      const refused = await ask(user, `/${release}/Patient/${id}`, 'application/fhir+json; fhirVersion=5.0');
      expect([refused.status, issuesOf(resourceOf(refused))[0]?.diagnostics]).toEqual([
        406,
        expect.stringContaining('fhirVersion=5.0 is not available'),
      ]);
    }
    const { id } = await user.create('stu3', { resourceType: 'Patient' });
    const refusals = [
      ask(user, '/stu3/metadata'),
      ask(user, `/stu3/Patient/${id}/$meta`),
      user.send('post', '/stu3/Patient', { resourceType: 'Patient' }).set('Accept', convertResource),
      user.send('delete', `/stu3/Patient/${id}`).set('Accept', convertResource),
      user.send('post', '/stu3', { resourceType: 'Bundle', type: 'batch', entry: [] }).set('Accept', convertResource),
    ];
    for (const refused of refusals) expect((await refused).status).toBe(406);
    expect(await user.all('/stu3/Patient')).toHaveLength(2);
  });
});

describe('a search in R4', () => {
  it('converts matches and included resources, and keeps their modes, order and total', async () => {
    const user = store.user();
    const { id } = await user.create('dstu2', patient);
    const orders: string[] = [];
    for (let i = 0; i < 5; i++)
      orders.push(
        (await user.create('dstu2', order(id, { dispenseRequest: { quantity: { value: i + 0.5, unit: 'tablet' } } })))
          .id,
      );
    const first = bundleOf(
      await ask(user, '/dstu2/MedicationOrder?_include=MedicationOrder:patient&_count=3&_total=accurate&_sort=_id'),
    );
    const second = bundleOf(await ask(user, first.link('next') ?? ''));
    expect([first.total, second.link('next')]).toEqual([5, undefined]);
    expect([...first.matches, ...second.matches].map((match) => match.id)).toEqual(orders.toSorted());
    expect([...first.included, ...second.included].map((match) => `${match.resourceType}/${match.id}`)).toEqual([
      `Patient/${id}`,
      `Patient/${id}`,
    ]);
    for (const { fullUrl, resource } of [...first.entries, ...second.entries]) {
      expect(fullUrl).toBe(`${baseUrl}/dstu2/${resource?.resourceType}/${resource?.id}`);
      const stored = resource?.resourceType === 'Patient' ? 'Patient' : 'MedicationOrder';
      expect(stringifyJson(resource ?? null)).toBe(
        stringifyJson(await converted(user, `/dstu2/${stored}/${resource?.id}`)),
      );
    }
  });

  it('reports everything that is left out in one OperationOutcome', async () => {
    const user = store.user();
    const { id } = await user.create('stu3', { resourceType: 'Patient' });
    const subject = { reference: `Patient/${id}` };
    const observation = await user.create('stu3', {
      resourceType: 'Observation',
      status: 'final',
      code: { text: 'x' },
      subject,
    });
    const claim = await user.create('stu3', { resourceType: 'Claim', status: 'active', patient: subject });
    const faulty = '0190aaaa-0000-7000-8000-0000000000fa';
    await storeFaulty(user, 'Observation', faulty, '"code":{"text":"Secret-4711"}');
    const whole = bundleOf(await ask(user, '/stu3?_type=Patient,Observation,Claim'));
    expect(whole.matches.map((match) => match.id).toSorted()).toEqual([id, observation.id].toSorted());
    expect(whole.total).toBe(4);
    const [outcome, ...more] = whole.entries.filter(({ search }) => (search as JsonObject)['mode'] === 'outcome');
    expect([outcome?.resource?.resourceType, outcome?.fullUrl, more]).toEqual(['OperationOutcome', undefined, []]);
    expect(issuesOf(outcome?.resource).toSorted((a, b) => (a.code < b.code ? -1 : 1))).toEqual([
      {
        severity: 'warning',
        code: 'not-supported',
        diagnostics: `Claim/${claim.id} is left out: there is no conversion of this type to R4`,
      },
      {
        severity: 'warning',
        code: 'processing',
        diagnostics: expect.stringContaining(
          `Observation/${faulty} is left out: not converted to R4. R4 requires Observation.status`,
        ),
      },
    ]);
    expect(JSON.stringify(whole.resource)).not.toContain('Secret');
    const everything = bundleOf(await ask(user, `/stu3/Patient/${id}/$everything`));
    expect(everything.matches).toHaveLength(2);
    expect(everything.entries).toHaveLength(3);
    expect(bundleOf(await ask(user, '/stu3/Observation/$lastn')).matches.map((match) => match.id)).toEqual([
      observation.id,
    ]);
    expect(bundleOf(await ask(user, '/stu3?_type=Patient,Claim&_summary=count')).total).toBe(2);
  });

  it('converts the results of a POST search, all pages of a search with _format and _elements, and contained matches', async () => {
    const user = store.user();
    for (const family of ['A', 'B', 'C'])
      await user.create('stu3', {
        resourceType: 'Patient',
        name: [{ family }],
        gender: 'male',
        animal: { species: { text: 'cat' } },
      });
    const form = await user
      .send('post', '/stu3/Patient/_search')
      .set('Accept', convertResource)
      .set('Content-Type', 'application/x-www-form-urlencoded')
      .send('family=b');
    expect(bundleOf(form).matches).toMatchObject([
      { name: [{ family: 'B' }], meta: { tag: [{ code: 'converted-from-stu3' }] } },
    ]);
    const page = bundleOf(
      await user.get(`/stu3/Patient?_count=2&_elements=gender&_format=${encodeURIComponent(convertResource)}`),
    );
    const last = bundleOf(await user.get(page.link('next') ?? ''));
    for (const match of [...page.matches, ...last.matches])
      expect(Object.keys(match)).toEqual(['resourceType', 'id', 'meta', 'gender']);
    expect([page.matches.length, last.matches.length]).toEqual([2, 1]);

    const contained = [{ resourceType: 'Medication', id: 'm', code: { text: 'aspirin' }, isBrand: true }];
    const { id } = await user.create('stu3', {
      resourceType: 'MedicationRequest',
      status: 'active',
      intent: 'order',
      subject: { reference: 'Patient/1' },
      medicationReference: { reference: '#m' },
      contained,
    });
    const within = bundleOf(
      await ask(user, '/stu3/Medication?_contained=true&_containedType=contained&code:text=aspirin'),
    );
    expect(within.entries).toMatchObject([
      {
        fullUrl: `${baseUrl}/stu3/MedicationRequest/${id}#m`,
        resource: { resourceType: 'Medication', id: 'm', extension: [{ valueBoolean: true }] },
      },
    ]);
  });
});

describe('a history in R4', () => {
  it('returns every version and deletion with R4 type names', async () => {
    const user = store.user();
    const subject = await user.create('dstu2', patient);
    const { id } = await user.create('dstu2', order(subject.id));
    await user.send('put', `/dstu2/MedicationOrder/${id}`, order(subject.id, { id, status: 'completed' }));
    await user.send('delete', `/dstu2/MedicationOrder/${id}`);
    const site = await user.create('dstu2', {
      resourceType: 'BodySite',
      patient: { reference: `Patient/${subject.id}` },
    });
    const { entries } = bundleOf(await ask(user, `/dstu2/MedicationOrder/${id}/_history`));
    expect(entries).toMatchObject([
      {
        fullUrl: `${baseUrl}/dstu2/MedicationRequest/${id}`,
        request: { method: 'DELETE', url: `MedicationRequest/${id}` },
      },
      {
        resource: { resourceType: 'MedicationRequest', status: 'completed', meta: { versionId: '2' } },
        request: { method: 'PUT' },
        response: { status: '200 OK', etag: 'W/"2"' },
      },
      {
        resource: { resourceType: 'MedicationRequest', status: 'active' },
        request: { method: 'POST', url: 'MedicationRequest' },
      },
    ]);
    expect(stringifyJson(entries[1]?.resource ?? null)).toBe(
      stringifyJson(await converted(user, `/dstu2/MedicationOrder/${id}/_history/2`)),
    );
    const [newest, ...older] = bundleOf(await ask(user, '/dstu2/_history')).entries;
    expect(newest).toMatchObject({
      fullUrl: `${baseUrl}/dstu2/BodySite/${site.id}`,
      response: { outcome: { issue: [{ severity: 'warning', code: 'not-supported' }] } },
    });
    expect([newest?.resource, older.length]).toEqual([undefined, 4]);
  });
});
