import { type Release, fhirVersionOf, releases, resourceTypes } from '@tributary/fhir-definitions';
import type { JsonObject, Resource } from '@tributary/fhir-json';
import { supportedParameters } from '@tributary/fhir-search';
import { validateResource } from '@tributary/fhir-validation';
import { FhirStoreUnderTest } from '../test/fhir-store-under-test';
import { resourceOf } from '../test/record-over-http';

describe.each(releases.map((release) => [release]))('the responses of %s are valid', (release: Release) => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  const faults = (resource: Resource) => validateResource(release, resource);

  it('the capability statement, which names every type and search parameter', async () => {
    const statement = resourceOf(await store.user().get(`/${release}/metadata`));
    expect(faults(statement)).toEqual([]);
    expect(statement).toMatchObject({
      resourceType: release === 'dstu2' ? 'Conformance' : 'CapabilityStatement',
      fhirVersion: fhirVersionOf[release],
    });
    const [rest] = statement['rest'] as unknown as { resource: { type: string; searchParam: { name: string }[] }[] }[];
    expect(rest?.resource.map(({ type }) => type)).toEqual(resourceTypes(release));
    const patient = rest?.resource.find(({ type }) => type === 'Patient');
    expect(patient?.searchParam.map(({ name }) => name)).toEqual(
      supportedParameters(release, 'Patient').map(({ code }) => code),
    );
  });

  it('bundles and outcomes', async () => {
    const user = store.user();
    const { id } = await user.create(release, { resourceType: 'Patient', gender: 'male' });
    await user.send('put', `/${release}/Patient/${id}`, { resourceType: 'Patient', id });
    await user.create(release, { resourceType: 'Patient' });
    await user.send('delete', `/${release}/Patient/${id}`);
    const batch: JsonObject = {
      resourceType: 'Bundle',
      type: 'batch',
      entry: ['Patient', `Patient/${id}`, `Patient/${id}/_history/1`, 'Patient?birthdate=x'].map((url) => ({
        request: { method: 'GET', url },
      })),
    };
    const answers = [
      await user.get(`/${release}/Patient?_count=1&_total=accurate`),
      await user.get(`/${release}/Patient?_summary=true`),
      await user.get(`/${release}/Patient?_summary=count`),
      await user.get(`/${release}/Patient?nonsense=1&_sort=shoe&_count=1`),
      await user.get(`/${release}/_history`),
      await user.get(`/${release}/Patient/$meta`),
      await user.get(`/${release}/Patient/unknown`),
      await user.get(`/${release}/Patient?birthdate=x`),
      await user.send('post', `/${release}/Patient`, { resourceType: 'Patient', gender: 'x' }),
      await user.send('post', `/${release}`, batch),
      await user.send('post', `/${release}`, {
        ...batch,
        type: 'transaction',
        entry: [{ resource: { resourceType: 'Patient' }, request: { method: 'POST', url: 'Patient' } }],
      }),
    ];
    expect(answers.map((answer) => faults(resourceOf(answer)))).toEqual(answers.map(() => []));
  });
});
