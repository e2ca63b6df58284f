import { releases } from '@tributary/fhir-definitions';
import type { JsonObject, Resource } from '@tributary/fhir-json';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import { resourceOf } from '../../test/record-over-http';

let store: FhirStoreUnderTest;
beforeAll(async () => {
  store = await FhirStoreUnderTest.start();
});
afterAll(() => store.stop());

const date = '1990-07-04';
const patient = { resourceType: 'Patient', gender: 'male', birthDate: date };

function bundleOf(type: string, ...entries: [method: string, url: string, resource: JsonObject][]): JsonObject {
  return {
    resourceType: 'Bundle',
    type,
    entry: entries.map(([method, url, resource]) => ({ request: { method, url }, resource })),
  };
}

describe.each(releases)('%s: a returned resource can be sent back', (release) => {
  it('by update, conditional update, create, batch, transaction and $validate', async () => {
    const user = store.user();
    const created = await user.create(release, { ...patient, identifier: [{ system: 'urn:x', value: '1' }] });
    const { id } = created;
    const answers = [
      await user.send('put', `/${release}/Patient/${id}`, created),
      await user.send('put', `/${release}/Patient?identifier=urn:x|1`, created),
      await user.send('post', `/${release}/Patient`, { ...created, birthDate: '1990-07-04T00:00:00.000Z' }),
      await user.send('post', `/${release}`, bundleOf('batch', ['PUT', `Patient/${id}`, created])),
      await user.send('post', `/${release}`, bundleOf('transaction', ['PUT', `Patient/${id}`, created])),
      await user.send('post', `/${release}/Patient/$validate`, created),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 200, 200, 200]);
    const statuses = answers
      .slice(3, 5)
      .map((answer) => resourceOf(answer)['entry'] as { response: { status: string } }[])
      .map(([entry]) => entry?.response.status.slice(0, 3));
    expect(statuses).toEqual(['200', '200']);
    expect(resourceOf(answers[5] as never)['issue']).toMatchObject([{ severity: 'information' }]);
    const found = await user.all(`/${release}/Patient`);
    expect(found.map((each) => each['birthDate'])).toEqual([date, date]);
    expect((await user.bundle(`/${release}/Patient?birthdate=${date}`)).total).toBe(2);
    const history = await user.bundle(`/${release}/Patient/${id}/_history`);
    expect(history.entries.map(({ resource }) => resource?.['birthDate'])).toEqual(Array(5).fill(date));
  });

  it('by patch', async () => {
    const user = store.user();
    const { id } = await user.create(release, patient);
    const patched = await user
      .send('patch', `/${release}/Patient/${id}`)
      .set('Content-Type', 'application/json-patch+json')
      .send(JSON.stringify([{ op: 'replace', path: '/birthDate', value: '1991-01-02T00:00:00Z' }]));
    expect([patched.status, resourceOf(patched)['birthDate']]).toEqual([200, '1991-01-02']);
  });

  it.each([
    '1990-07-04T00:00:01Z',
    '1990-07-04T00:00:00',
    '1990-07-04T00:00:00+02:00',
    '1990-07T00:00:00Z',
    '1990-02-30T00:00:00Z',
  ])('but not another time: %s', async (birthDate) => {
    const response = await store.user().send('post', `/${release}/Patient`, { ...patient, birthDate });
    expect(response.status).toBe(422);
  });
});

describe.each(releases)('%s: a part of a resource does not replace the whole', (release) => {
  it.each(['_summary=true', '_elements=gender', '_summary=data', '_summary=text'])('%s', async (subset) => {
    const user = store.user();
    const whole = await user.create(release, { ...patient, identifier: [{ system: 'urn:x', value: '1' }] });
    const { id } = whole;
    const part = resourceOf(await user.get(`/${release}/Patient/${id}?${subset}`)) as Resource & { id: string };
    const refused = [
      await user.send('put', `/${release}/Patient/${id}`, part),
      await user.send('put', `/${release}/Patient?identifier=urn:x|1`, part),
      await user.send('post', `/${release}`, bundleOf('transaction', ['PUT', `Patient/${id}`, part])),
    ];
    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422]);
    const at = release === 'dstu2' ? 'location' : 'expression';
    const positions = refused.map((answer) => (resourceOf(answer)['issue'] as JsonObject[])[0]?.[at]);
    expect(positions).toEqual(
      release === 'dstu2'
        ? [
            ['/f:Patient/f:meta/f:tag'],
            ['/f:Patient/f:meta/f:tag'],
            ['/f:Bundle/f:entry[1]/f:resource/f:Patient/f:meta/f:tag'],
          ]
        : [['Patient.meta.tag'], ['Patient.meta.tag'], ['Bundle.entry[0].resource.meta.tag']],
    );
    const batch = await user.send('post', `/${release}`, bundleOf('batch', ['PUT', `Patient/${id}`, part]));
    expect(resourceOf(batch)['entry']).toMatchObject([
      { response: { status: expect.stringMatching(/^422/) as string } },
    ]);
    expect((await user.bundle(`/${release}/Patient/${id}/_history`)).entries).toHaveLength(1);
    const { meta: _meta, ...untagged } = part;
    expect((await user.send('put', `/${release}/Patient/${id}`, untagged)).status).toBe(200);
  });

  it('takes other tags of that name, and system', async () => {
    const user = store.user();
    const { id } = await user.create(release, patient);
    const tags = [
      { system: 'urn:own', code: 'SUBSETTED' },
      { system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationValue', code: 'ABC' },
    ];
    const tagged = { ...patient, id, meta: { tag: tags } };
    expect((await user.send('put', `/${release}/Patient/${id}`, tagged)).status).toBe(200);
  });
});
