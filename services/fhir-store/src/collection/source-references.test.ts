import type { BatchSource } from '@tributary/contracts';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import type { RecordOverHttp } from '../../test/record-over-http';

const source: BatchSource = {
  client_id: 'client',
  release: 'r4',
  health_system_id: 7,
  fhir_base_url: 'https://ehr.example.org/fhir/r4',
};
const condition = (id: string, patient = 'p', members: object = {}): object => ({
  resourceType: 'Condition',
  id,
  subject: { reference: `Patient/${patient}` },
  ...members,
});

describe('the resources of a source', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  async function storeAll(user: RecordOverHttp, resources: object[], from = source): Promise<string[]> {
    const ndjson = resources.map((resource) => `${JSON.stringify(resource)}\n`).join('');
    const { results } = await store.records.storeBatch(user.userId, from, ndjson);
    return results.map(({ id = '' }) => id);
  }

  async function listed(
    user: RecordOverHttp,
    type: string,
    { patientId, without = [], from = source }: { patientId?: string; without?: string[]; from?: BatchSource } = {},
  ): Promise<string[]> {
    const references: string[] = [];
    let after: string | undefined;
    do {
      const wanted = { type, without, ...(patientId === undefined ? {} : { patientId }) };
      const page = await store.records.sourceReferences(user.userId, from, wanted, after);
      references.push(...page.references.map(({ reference }) => reference));
      after = page.next;
    } while (after !== undefined);
    return references.sort();
  }

  it.each(['dstu2', 'stu3', 'r4'] as const)('are listed as the source names them (%s)', async (release) => {
    const user = store.user();
    const from = { ...source, release };
    const [first = ''] = await storeAll(
      user,
      [
        condition('1'),
        condition('a/b'),
        condition('own', 'p', { meta: { source: 'urn:lab', extension: [{ url: 'urn:x', valueString: 'x' }] } }),
        { resourceType: 'Binary', id: 'https://ehr.example.org/files/1', contentType: 'text/plain' },
        { resourceType: 'Binary', id: 'b', contentType: 'text/plain' },
        // It cannot be read again: the signature is valid for a short time.
        { resourceType: 'Binary', id: 'https://ehr.example.org/files/2?X-Amz-Signature=0f', contentType: 'text/plain' },
      ],
      from,
    );
    expect(await listed(user, 'Condition', { from })).toEqual(['Condition/1', 'Condition/a/b', 'Condition/own']);
    expect(await listed(user, 'Condition', { from, without: [first] })).toEqual(['Condition/a/b', 'Condition/own']);
    expect(await listed(user, 'Binary', { from })).toEqual(['Binary/b', 'https://ehr.example.org/files/1']);
    // The address of the health system has changed since.
    const moved = { ...from, fhir_base_url: 'https://new.example.org/r4' };
    expect(await listed(user, 'Condition', { from: moved })).toHaveLength(3);
  });

  it('keeps the meta.source of a resource', async () => {
    const user = store.user();
    await storeAll(user, [condition('own', 'p', { meta: { source: 'urn:lab' } })]);
    const [stored] = await user.all('/r4/Condition');
    expect(stored?.meta).toMatchObject({
      source: 'urn:lab',
      extension: [{ url: 'urn:tributary:source-address', valueUri: 'https://ehr.example.org/fhir/r4/Condition/own' }],
    });
  });

  it('are neither those of another source, nor those of the application', async () => {
    const user = store.user();
    const other = { ...source, health_system_id: 8 };
    await storeAll(user, [condition('1'), { resourceType: 'Practitioner', id: 'd' }]);
    await storeAll(user, [condition('1'), condition('2'), { resourceType: 'Practitioner', id: 'e' }], other);
    await user.create('r4', {
      resourceType: 'Condition',
      subject: { display: 'Someone' },
      meta: { source: 'https://ehr.example.org/fhir/r4/Condition/3' },
    });
    expect(await listed(user, 'Condition')).toEqual(['Condition/1']);
    expect(await listed(user, 'Practitioner')).toEqual(['Practitioner/d']);
    expect(await listed(user, 'Condition', { from: other })).toEqual(['Condition/1', 'Condition/2']);
  });

  it('are those of one patient', async () => {
    const user = store.user();
    await storeAll(user, [condition('1'), condition('2', 'child'), { resourceType: 'Patient', id: 'child' }]);
    expect(await listed(user, 'Condition', { patientId: 'p' })).toEqual(['Condition/1']);
    expect(await listed(user, 'Condition', { patientId: 'child' })).toEqual(['Condition/2']);
    expect(await listed(user, 'Practitioner', { patientId: 'p' })).toEqual([]);
  });

  it('are those about one patient, not all in the compartment', async () => {
    const user = store.user();
    const to = (id: string): object => ({ reference: `Patient/${id}` });
    const coverage = (id: string, beneficiary: string, subscriber: string): object => ({
      resourceType: 'Coverage',
      id,
      beneficiary: to(beneficiary),
      subscriber: to(subscriber),
    });
    const family = [
      coverage('of-child', 'child', 'mother'),
      coverage('of-mother', 'mother', 'mother'),
      coverage('of-mother-by-child', 'mother', 'child'),
      { resourceType: 'Observation', id: 'of-child', subject: to('child'), performer: [to('mother')] },
      { resourceType: 'Observation', id: 'of-mother', subject: to('mother') },
      condition('of-child', 'child', { asserter: to('mother') }),
      condition('of-both', 'mother', { asserter: to('child') }),
      { resourceType: 'AllergyIntolerance', id: 'of-child', patient: to('child'), recorder: to('mother') },
      { resourceType: 'Appointment', id: 'of-both', participant: [{ actor: to('mother') }, { actor: to('child') }] },
      { resourceType: 'Appointment', id: 'of-mother', participant: [{ actor: to('mother') }] },
    ];
    const ofMother = (type: string): Promise<string[]> => listed(user, type, { patientId: 'mother' });
    await storeAll(user, [{ resourceType: 'Patient', id: 'mother' }, ...family]);
    expect(await ofMother('Coverage')).toEqual(['Coverage/of-mother', 'Coverage/of-mother-by-child']);
    expect(await ofMother('Observation')).toEqual(['Observation/of-mother']);
    expect(await ofMother('Condition')).toEqual(['Condition/of-both']);
    expect(await ofMother('AllergyIntolerance')).toEqual([]);
    expect(await ofMother('Appointment')).toEqual(['Appointment/of-both', 'Appointment/of-mother']);
    // The same id at another health system is another person.
    await storeAll(user, [{ resourceType: 'Patient', id: 'child' }], { ...source, health_system_id: 8 });
    expect(await ofMother('Condition')).toEqual(['Condition/of-both']);
    await storeAll(user, [{ resourceType: 'Patient', id: 'child' }]);
    expect(await ofMother('Coverage')).toEqual(['Coverage/of-mother']);
    expect(await ofMother('Condition')).toEqual([]);
    expect(await ofMother('Appointment')).toEqual(['Appointment/of-mother']);
    expect(await listed(user, 'Coverage', { patientId: 'child' })).toEqual([]);
  });

  it('are listed in pages', async () => {
    const user = store.user();
    const ids = Array.from({ length: 230 }, (_, index) => `c-${index}`);
    await storeAll(
      user,
      ids.map((id) => condition(id)),
    );
    expect(await listed(user, 'Condition', { patientId: 'p' })).toEqual(ids.map((id) => `Condition/${id}`).sort());
  });

  it('are deleted once, as a version of their own that the history keeps', async () => {
    const user = store.user();
    const [id] = await storeAll(user, [condition('1'), condition('2')]);
    const deletion = { reference: 'Condition/1', version: 1 };
    const remove = async (...deletions: (typeof deletion)[]): Promise<string[]> =>
      (await store.records.deleteFromSource(user.userId, source, deletions)).results;
    expect(await remove(deletion, { reference: 'Condition/unknown', version: 1 })).toEqual(['deleted', 'absent']);
    expect(await remove(deletion)).toEqual(['absent']);
    expect((await user.get(`/r4/Condition/${id}`)).status).toBe(410);
    expect((await user.get(`/r4/Condition/${id}/_history/1`)).status).toBe(200);
    expect(await listed(user, 'Condition')).toEqual(['Condition/2']);
    // The source has it again.
    await storeAll(user, [condition('1')]);
    expect((await user.get(`/r4/Condition/${id}`)).headers['etag']).toBe('W/"3"');
    expect(await remove(deletion)).toEqual(['changed']);
    expect((await user.get(`/r4/Condition/${id}`)).status).toBe(200);
  });

  it('are deleted once by concurrent calls', async () => {
    const user = store.user();
    await storeAll(user, [condition('1')]);
    const calls = Array.from({ length: 5 }, () =>
      store.records.deleteFromSource(user.userId, source, [{ reference: 'Condition/1', version: 1 }]),
    );
    const results = (await Promise.all(calls)).flatMap((call) => call.results);
    expect(results.sort()).toEqual(['absent', 'absent', 'absent', 'absent', 'deleted']);
  });

  it('refuses a line that is no deletion', async () => {
    const call = store.records.deleteFromSource(store.user().userId, source, [{ reference: 'Condition/1' } as never]);
    await expect(call).rejects.toMatchObject({ status: 400 });
  });
});
