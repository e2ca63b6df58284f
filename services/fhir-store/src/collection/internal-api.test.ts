import { InternalCallError, type BatchSource } from '@tributary/contracts';
import { type Resource, parseJson } from '@tributary/fhir-json';
import request from 'supertest';
import { FhirStoreUnderTest, callingService } from '../../test/fhir-store-under-test';
import type { RecordOverHttp } from '../../test/record-over-http';

const source: BatchSource = {
  client_id: 'client',
  release: 'r4',
  health_system_id: 7,
  fhir_base_url: 'https://ehr.example.org/fhir/r4',
};

describe('batches of collected resources', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  async function storeLines(user: RecordOverHttp, lines: (string | object)[], from: BatchSource = source) {
    const ndjson = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
    return (await store.records.storeBatch(user.userId, from, `${ndjson}\n`)).results;
  }

  async function only(user: RecordOverHttp, type: string): Promise<Resource> {
    const [resource, ...others] = await user.all(`/r4/${type}`);
    expect(others).toEqual([]);
    return resource as Resource;
  }

  it('stores resources as they came, with references rewritten, in any order', async () => {
    const user = store.user();
    const observation = {
      resourceType: 'Observation',
      id: 'o.1',
      meta: {
        versionId: '77',
        lastUpdated: '2020-01-01T00:00:00Z',
        profile: ['http://example.org/p'],
        security: [{ code: 'R' }],
      },
      nonsense: 'kept',
      contained: [{ resourceType: 'Specimen', id: 's', subject: { reference: 'Patient/p-1' } }],
      subject: { reference: 'Patient/p-1', display: 'Someone' },
      performer: [
        { reference: 'https://ehr.example.org/fhir/r4/Practitioner/d/_history/3' },
        { reference: 'https://elsewhere.example.org/Practitioner/d' },
        { reference: 'Practitioner?identifier=1' },
        { reference: 'urn:uuid:0190aaaa-0000-7000-8000-000000000000' },
      ],
      specimen: { reference: '#s' },
    };
    const results = await storeLines(user, [
      observation,
      '{"resourceType":"Patient","id":"p-1","multipleBirthInteger":1.0}',
      { resourceType: 'Practitioner', id: 'd' },
    ]);
    expect(results).toMatchObject([
      { outcome: 'stored', created: true, type: 'Observation', source_id: 'o.1' },
      { outcome: 'stored', created: true, type: 'Patient', source_id: 'p-1' },
      { outcome: 'stored', created: true, type: 'Practitioner', source_id: 'd' },
    ]);
    const [stored, patient, practitioner] = [
      await only(user, 'Observation'),
      await only(user, 'Patient'),
      await only(user, 'Practitioner'),
    ];
    expect(results.map(({ id }) => id)).toEqual([stored.id, patient.id, practitioner.id]);
    expect(patient.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(stored).toEqual({
      ...observation,
      id: stored.id,
      meta: {
        versionId: '1',
        lastUpdated: stored.meta?.lastUpdated,
        profile: ['http://example.org/p'],
        security: [{ code: 'R' }],
        source: 'https://ehr.example.org/fhir/r4/Observation/o.1',
      },
      contained: [{ resourceType: 'Specimen', id: 's', subject: { reference: `Patient/${patient.id}` } }],
      subject: { reference: `Patient/${patient.id}`, display: 'Someone' },
      performer: [{ reference: `Practitioner/${practitioner.id}` }, ...observation.performer.slice(1)],
    });
    expect((await user.bundle(`/r4/Observation?subject=${patient.id}`)).matches).toHaveLength(1);
    expect(
      (await user.bundle(`/r4/Observation?_source=https://ehr.example.org/fhir/r4/Observation/o.1`)).matches,
    ).toHaveLength(1);
  });

  it('returns the database clock, which separates later creations from earlier ones', async () => {
    const user = store.user();
    const { results: none, now: before } = await store.records.storeBatch(user.userId, source, '');
    expect(none).toEqual([]);
    const [created] = await storeLines(user, [{ resourceType: 'Patient', id: 'p' }]);
    const { results, now } = await store.records.storeBatch(user.userId, source, '{"resourceType":"Patient","id":"p"}');
    expect(results).toMatchObject([{ outcome: 'unchanged', version: 1, last_updated: created?.last_updated }]);
    expect([before <= (created?.last_updated ?? 0), (created?.last_updated ?? 0) <= now]).toEqual([true, true]);
  });

  it('changes nothing when the same content is collected again, whatever its version in the source', async () => {
    const user = store.user();
    const patient = {
      resourceType: 'Patient',
      id: 'p',
      meta: { versionId: '1', lastUpdated: '2020-01-01T00:00:00Z' },
      gender: 'male',
    };
    await storeLines(user, [patient]);
    const before = await only(user, 'Patient');
    expect(
      await storeLines(user, [{ ...patient, meta: { versionId: '2', lastUpdated: '2021-01-01T00:00:00Z' } }]),
    ).toEqual([
      {
        outcome: 'unchanged',
        type: 'Patient',
        source_id: 'p',
        id: before.id,
        version: 1,
        last_updated: Date.parse(before.meta?.['lastUpdated'] as string),
      },
    ]);
    expect(await only(user, 'Patient')).toEqual(before);
    expect((await storeLines(user, [{ ...patient, gender: 'female' }]))[0]?.outcome).toBe('stored');
    expect(await only(user, 'Patient')).toMatchObject({ id: before.id, gender: 'female', meta: { versionId: '2' } });
  });

  it('keeps the sources, the releases and the users apart', async () => {
    const [user, other] = [store.user(), store.user()];
    const patient = { resourceType: 'Patient', id: 'same' };
    await storeLines(user, [patient]);
    await storeLines(user, [patient], { ...source, health_system_id: 8 });
    await storeLines(user, [patient], { ...source, release: 'dstu2' });
    await storeLines(other, [patient]);
    const ids = [
      ...(await user.all('/r4/Patient')),
      ...(await user.all('/dstu2/Patient')),
      ...(await other.all('/r4/Patient')),
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect((await user.all('/dstu2/Patient'))[0]?.meta).toMatchObject({
      extension: [
        {
          url: 'http://hl7.org/fhir/4.0/StructureDefinition/extension-Meta.source',
          valueUri: 'https://ehr.example.org/fhir/r4/Patient/same',
        },
      ],
    });
  });

  it('stores what it can: broken lines fail alone, of two lines for one resource the last counts', async () => {
    const user = store.user();
    const results = await storeLines(user, [
      '{"resourceType":"Patient",',
      '[]',
      '{}',
      '{"resourceType":"Patience","id":"1"}',
      '{"resourceType":"Patient"}',
      { resourceType: 'Patient', id: '1', gender: 'male' },
      { resourceType: 'Patient', id: '1', gender: 'female' },
    ]);
    expect(results.map(({ outcome }) => outcome)).toEqual([
      'failed',
      'failed',
      'failed',
      'failed',
      'failed',
      'unchanged',
      'stored',
    ]);
    for (const { reason } of results.slice(0, 5)) expect(reason).toEqual(expect.any(String));
    expect(await only(user, 'Patient')).toMatchObject({ gender: 'female' });
  });

  it('remembers references until their targets come', async () => {
    const user = store.user();
    await storeLines(user, [
      {
        resourceType: 'Patient',
        id: 'p',
        generalPractitioner: [
          { reference: 'Practitioner/here' },
          { reference: `${source.fhir_base_url}/Practitioner/here` },
        ],
        managingOrganization: { reference: 'Organization/gone/_history/2' },
      },
    ]);
    const unresolved = await store.records.unresolvedReferences(user.userId, source, undefined);
    expect(unresolved.references.toSorted()).toEqual(['Organization/gone', 'Practitioner/here']);
    await storeLines(user, [{ resourceType: 'Practitioner', id: 'here' }]);
    expect((await store.records.unresolvedReferences(user.userId, source, undefined)).references).toEqual([
      'Organization/gone',
    ]);
    expect(
      await store.records.unresolvedReferences(user.userId, { ...source, health_system_id: 8 }, undefined),
    ).toEqual({
      references: [],
    });
    expect(await store.records.resolveReferences(user.userId, source)).toEqual({ reverted: 1 });
    const practitioner = await only(user, 'Practitioner');
    expect(await only(user, 'Patient')).toMatchObject({
      generalPractitioner: [
        { reference: `Practitioner/${practitioner.id}` },
        { reference: `Practitioner/${practitioner.id}` },
      ],
      managingOrganization: { reference: 'Organization/gone/_history/2' },
    });
    expect((await store.records.unresolvedReferences(user.userId, source, undefined)).references).toEqual([]);
    expect(await store.records.resolveReferences(user.userId, source)).toEqual({ reverted: 0 });
  });

  it('restores the text of each reference, and rewrites it when a later collection has the target', async () => {
    const user = store.user();
    const patient = {
      resourceType: 'Patient',
      id: 'p',
      generalPractitioner: [{ reference: 'Practitioner/x' }, { reference: `${source.fhir_base_url}/Practitioner/x` }],
    };
    await storeLines(user, [patient]);
    await store.records.resolveReferences(user.userId, source);
    expect(await only(user, 'Patient')).toMatchObject({
      generalPractitioner: patient.generalPractitioner,
      meta: { versionId: '2' },
    });

    expect((await storeLines(user, [patient]))[0]?.outcome).toBe('unchanged');
    expect((await store.records.unresolvedReferences(user.userId, source, undefined)).references).toEqual([
      'Practitioner/x',
    ]);
    await store.records.resolveReferences(user.userId, source);
    expect((await only(user, 'Patient')).meta?.versionId).toBe('2');

    expect(
      (await storeLines(user, [patient, { resourceType: 'Practitioner', id: 'x' }])).map(({ outcome }) => outcome),
    ).toEqual(['unchanged', 'stored']);
    await store.records.resolveReferences(user.userId, source);
    const { id } = await only(user, 'Practitioner');
    expect(await only(user, 'Patient')).toMatchObject({
      generalPractitioner: [{ reference: `Practitioner/${id}` }, { reference: `Practitioner/${id}` }],
    });
  });

  it('lists unresolved references page by page, each once', async () => {
    const user = store.user();
    const lines = Array.from({ length: 2500 }, (_, n) => ({
      resourceType: 'Observation',
      id: `o${n}`,
      performer: [{ reference: `Practitioner/${n % 1300}` }],
    }));
    await storeLines(user, lines);
    const all: string[] = [];
    let after: string | undefined;
    do {
      const page = await store.records.unresolvedReferences(user.userId, source, after);
      expect(page.references.length).toBeLessThanOrEqual(1000);
      all.push(...page.references);
      after = page.next;
    } while (after !== undefined);
    expect([all.length, new Set(all).size]).toEqual([1300, 1300]);
    expect(await store.records.resolveReferences(user.userId, source)).toEqual({ reverted: 2500 });
    expect(
      (await user.all('/r4/Observation?_count=1000')).every((each) =>
        /^Practitioner\/\d+$/.test((each['performer'] as { reference: string }[])[0]?.reference ?? ''),
      ),
    ).toBe(true);
  });

  it('keeps attachments of the source as Binary resources, and their addresses when they do not come', async () => {
    const user = store.user();
    const page = 'https://ehr.example.org/documents/7?page=1';
    const urls = [
      `${source.fhir_base_url}/Binary/b`,
      'Binary/b',
      page,
      'https://ehr.example.org/gone',
      'https://elsewhere.example.org/Binary/b',
    ];
    const document = {
      resourceType: 'DocumentReference',
      id: 'd',
      extension: [{ url: 'Binary/b', valueString: 'x' }],
      content: urls.map((url) => ({ attachment: { contentType: 'text/plain', url } })),
    };
    await storeLines(user, [document]);
    expect((await store.records.unresolvedReferences(user.userId, source, undefined)).references.toSorted()).toEqual(
      ['Binary/b', page, 'https://ehr.example.org/gone'].toSorted(),
    );
    await storeLines(user, [
      { resourceType: 'Binary', id: 'b', contentType: 'text/plain', data: 'eA==' },
      { resourceType: 'Binary', id: page, contentType: 'text/plain', data: 'eQ==' },
    ]);
    await store.records.resolveReferences(user.userId, source);
    const binaries = new Map((await user.all('/r4/Binary')).map(({ meta, id }) => [meta?.['source'], `Binary/${id}`]));
    const stored = await only(user, 'DocumentReference');
    expect((stored['content'] as { attachment: { url: string } }[]).map(({ attachment }) => attachment.url)).toEqual([
      binaries.get(urls[0]),
      binaries.get(urls[0]),
      binaries.get(page),
      ...urls.slice(3),
    ]);
    expect(stored['extension']).toEqual(document.extension);
    expect((await storeLines(user, [document]))[0]?.outcome).toBe('unchanged');
  });

  it('stores concurrent batches of one record', async () => {
    const user = store.user();
    const batch = (from: number) =>
      Array.from({ length: 100 }, (_, n) => ({
        resourceType: 'Observation',
        id: `o${from + n}`,
        subject: { reference: 'Patient/p' },
      }));
    await Promise.all([0, 50, 100, 150, 0].map((from) => storeLines(user, batch(from))));
    expect(await user.all('/r4/Observation?_count=1000')).toHaveLength(250);
  });

  it('leaves nothing readable of unresolved references in the database', async () => {
    const user = store.user();
    await storeLines(user, [
      { resourceType: 'Patient', id: 'p', generalPractitioner: [{ reference: 'Practitioner/readable-name' }] },
    ]);
    const { rows } = await store.pool.query<{ row: string; reference: Buffer }>(
      'SELECT a::text AS row, reference FROM fhir_store.unresolved_reference a WHERE user_id = $1',
      [user.userId],
    );
    expect(rows).toHaveLength(1);
    expect(rows.map(({ row, reference }) => row + reference.toString('latin1')).join()).not.toMatch(
      /readable|Practitioner/,
    );
  });

  it('destroys a record for good', async () => {
    const user = store.user();
    await storeLines(user, [
      { resourceType: 'Patient', id: 'p', managingOrganization: { reference: 'Organization/1' } },
    ]);
    await store.destroyRecord(user.userId);
    await store.destroyRecord(user.userId);
    expect(await user.all('/r4/Patient')).toEqual([]);
    await expect(storeLines(user, [{ resourceType: 'Patient', id: 'p' }])).rejects.toMatchObject({
      status: 410,
      errorCode: 'record_destroyed',
    });
    expect((await user.send('post', '/r4/Patient', { resourceType: 'Patient' })).status).toBe(410);
    expect(
      (await store.pool.query('SELECT FROM fhir_store.unresolved_reference WHERE user_id = $1', [user.userId]))
        .rowCount,
    ).toBe(0);
  });

  it('accepts known services, on the internal port only', async () => {
    const path = `/internal/v1/records/1/batches?client_id=client&release=r4&health_system_id=7&fhir_base_url=https://ehr.example.org`;
    expect((await request(store.internalUrl).post(path).send('')).status).toBe(401);
    expect((await request(store.url).post(path).auth(callingService.name, callingService.key).send('')).status).toBe(
      404,
    );
    expect(
      (
        await request(store.internalUrl)
          .post(path.replace('r4', 'r5'))
          .auth(callingService.name, callingService.key)
          .send('')
      ).status,
    ).toBe(400);
    await expect(store.records.unresolvedReferences(1, source, 'nonsense')).rejects.toBeInstanceOf(InternalCallError);
  });

  it('is no way for one service to do what another may', async () => {
    await expect(store.records.destroy(1)).rejects.toMatchObject({ status: 403, errorCode: 'caller_not_allowed' });
  });

  it('keeps decimals with their text', async () => {
    const user = store.user();
    await storeLines(user, ['{"resourceType":"Observation","id":"1","valueQuantity":{"value":1.50}}']);
    const text = (await user.get('/r4/Observation')).body as string;
    expect(text).toContain('"value":1.50}');
    expect(parseJson(text)).toBeDefined();
  });
});
