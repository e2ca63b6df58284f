import type { JsonObject } from '@tributary/fhir-json';
import { FhirStoreUnderTest } from '../../../test/fhir-store-under-test';
import { type RecordOverHttp, resourceOf } from '../../../test/record-over-http';

const nobody = '0190aaaa-0000-7000-8000-000000000000';

describe('operations', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  const idsOf = (resources: readonly { id?: string }[]): string[] => resources.map(({ id }) => id ?? '').toSorted();

  describe('Patient/$everything', () => {
    let user: RecordOverHttp;
    let ids: Record<string, string>;
    beforeAll(async () => {
      user = store.user();
      const create = async (resource: JsonObject) => (await user.create('r4', resource)).id;
      const organization = await create({ resourceType: 'Organization', name: 'o' });
      const doctor = await create({
        resourceType: 'Practitioner',
        name: [{ family: 'd' }],
        qualification: [{ code: { text: 'x' }, issuer: { reference: `Organization/${organization}` } }],
      });
      const patient = await create({
        resourceType: 'Patient',
        generalPractitioner: [{ reference: `Practitioner/${doctor}` }],
      });
      const other = await create({ resourceType: 'Patient' });
      const observation = (subject: string, date: string): JsonObject => ({
        resourceType: 'Observation',
        status: 'final',
        code: { text: 'x' },
        subject: { reference: `Patient/${subject}` },
        effectiveDateTime: date,
      });
      ids = {
        organization,
        doctor,
        patient,
        other,
        old: await create(observation(patient, '2001-05-05')),
        recent: await create(observation(patient, '2020-05-05')),
        theirs: await create(observation(other, '2020-05-05')),
        loose: await create({ resourceType: 'Location', name: 'l' }),
      };
    });

    it('returns the compartment and its references in pages, each once', async () => {
      const { patient = '', old = '', recent = '', doctor = '', organization = '' } = ids;
      for (const count of [1, 2, 3, 100]) {
        const all = await user.all(`/r4/Patient/${patient}/$everything?_count=${count}`);
        expect(idsOf(all)).toEqual([patient, old, recent, doctor, organization].toSorted());
      }
    });

    it('returns those of all patients of the record', async () => {
      const { loose, ...members } = ids;
      expect(loose).toBeDefined();
      expect(idsOf(await user.all('/r4/Patient/$everything?_count=3'))).toEqual(Object.values(members).toSorted());
      expect((await store.user().bundle('/r4/Patient/$everything')).entries).toEqual([]);
    });

    it('obeys _type, _since, start and end', async () => {
      const { patient = '', old = '', recent = '', doctor = '', organization = '' } = ids;
      expect(
        idsOf(await user.all(`/r4/Patient/${patient}/$everything?_type=Observation,Practitioner&_count=2`)),
      ).toEqual([old, recent, doctor].toSorted());
      expect(await user.all(`/r4/Patient/${patient}/$everything?_since=2100-01-01`)).toEqual([]);
      expect(idsOf(await user.all(`/r4/Patient/${patient}/$everything?start=2010`))).toEqual(
        [patient, recent, doctor, organization].toSorted(),
      );
      expect(idsOf(await user.all(`/r4/Patient/${patient}/$everything?end=2010&_type=Observation`))).toEqual([old]);
      for (const query of ['start=soon', '_since=x', '_count=-1', '_page=abc', '_type=Patient,Spaceship'])
        expect((await user.get(`/r4/Patient/${patient}/$everything?${query}`)).status).toBe(400);
      expect((await user.get(`/r4/Patient/${nobody}/$everything`)).status).toBe(404);
      expect((await user.get(`/r4/Patient/${patient}/$everything?code=x`)).status).toBe(200);
      expect(
        (await user.get(`/r4/Patient/${patient}/$everything?code=x`).set('Prefer', 'handling=strict')).status,
      ).toBe(400);
      expect(
        (await user.get(`/r4/Patient/${patient}/$everything?_count=2&_format=json`).set('Prefer', 'handling=strict'))
          .status,
      ).toBe(200);
    });

    it('searches the compartment', async () => {
      const { patient = '', old = '', recent = '' } = ids;
      expect(idsOf(await user.all(`/r4/Patient/${patient}/Observation`))).toEqual([old, recent].toSorted());
      expect(idsOf(await user.all(`/r4/Patient/${patient}/Observation?date=ge2010`))).toEqual([recent]);
      expect(idsOf(await user.all(`/r4/Patient/${patient}/*?_count=1`))).toEqual([patient, old, recent].toSorted());
      expect((await user.get(`/r4/Patient/${patient}/Location`)).status).toBe(404);
      expect((await user.get(`/r4/Location/x/Observation`)).status).toBe(404);
    });
  });

  it('$validate reports every fault and stores nothing', async () => {
    const user = store.user();
    const outcome = resourceOf(
      await user.send('post', '/r4/Patient/$validate', { resourceType: 'Patient', gender: 'x' }),
    );
    expect(outcome['issue']).toEqual([expect.objectContaining({ expression: ['Patient.gender'] })]);
    const wrapped = {
      resourceType: 'Parameters',
      parameter: [{ name: 'resource', resource: { resourceType: 'Patient', gender: 'male' } }],
    };
    expect(resourceOf(await user.send('post', '/r4/Patient/$validate', wrapped))['issue']).toEqual([
      expect.objectContaining({ severity: 'information' }),
    ]);
    expect((await user.send('post', '/r4/Patient/$validate', { resourceType: 'Parameters' })).status).toBe(400);
    expect((await user.bundle('/r4/Patient')).matches).toEqual([]);
    const { id } = await user.create('r4', { resourceType: 'Patient' });
    expect((await user.get(`/r4/Patient/${id}/$validate`)).status).toBe(200);
  });

  it('$validate reports in the mode delete whether the resource exists', async () => {
    const user = store.user();
    const { id } = await user.create('r4', { resourceType: 'Patient' });
    const mode = { resourceType: 'Parameters', parameter: [{ name: 'mode', valueCode: 'delete' }] };
    expect(resourceOf(await user.send('post', `/r4/Patient/${id}/$validate`, mode))['issue']).toEqual([
      expect.objectContaining({ severity: 'information' }),
    ]);
    expect((await user.send('post', `/r4/Patient/${nobody}/$validate`, mode)).status).toBe(404);
    expect((await user.send('post', '/r4/Patient/$validate', mode)).status).toBe(400);
  });

  it('$lastn returns the latest observations of each code', async () => {
    const user = store.user();
    const observe = (date: string, ...codes: string[]) =>
      user.create('r4', {
        resourceType: 'Observation',
        status: 'final',
        code: { coding: codes.map((code) => ({ system: 's', code })) },
        effectiveDateTime: date,
      });
    const [a1, b1, a2, ab, c] = [
      await observe('2001', 'a'),
      await observe('2009', 'b'),
      await observe('2003', 'a'),
      await observe('2002', 'a', 'b'),
      await observe('2000', 'c'),
    ];
    expect(idsOf((await user.bundle('/r4/Observation/$lastn')).matches)).toEqual(idsOf([b1, c]));
    expect(idsOf((await user.bundle('/r4/Observation/$lastn?max=3')).matches)).toEqual(idsOf([b1, a2, ab, c]));
    expect(idsOf((await user.bundle('/r4/Observation/$lastn?max=9&date=lt2002')).matches)).toEqual(idsOf([a1, c]));
    expect((await user.get('/r4/Observation/$lastn?max=0')).status).toBe(400);
  });

  it('$meta shows and changes profiles, security labels and tags', async () => {
    const user = store.user();
    const { id } = await user.create('r4', { resourceType: 'Patient', meta: { tag: [{ system: 's', code: 'a' }] } });
    const meta = {
      resourceType: 'Parameters',
      parameter: [{ name: 'meta', valueMeta: { tag: [{ system: 's', code: 'b' }] } }],
    };
    const added = resourceOf(await user.send('post', `/r4/Patient/${id}/$meta-add`, meta));
    expect(added['parameter']).toEqual([
      {
        name: 'return',
        valueMeta: expect.objectContaining({
          versionId: '2',
          tag: [
            { system: 's', code: 'a' },
            { system: 's', code: 'b' },
          ],
        }),
      },
    ]);
    expect((await user.bundle('/r4/Patient?_tag=s|b')).matches).toHaveLength(1);
    await user.send('post', `/r4/Patient/${id}/$meta-delete`, meta);
    for (const address of [`/r4/Patient/${id}/$meta`, '/r4/Patient/$meta', '/r4/$meta']) {
      expect(resourceOf(await user.get(address))['parameter']).toEqual([
        { name: 'return', valueMeta: expect.objectContaining({ tag: [{ system: 's', code: 'a' }] }) },
      ]);
    }
  });

  it('adds every one of many tags that are added at once', async () => {
    const user = store.user();
    const { id } = await user.create('r4', { resourceType: 'Patient' });
    const adding = (code: string): PromiseLike<{ status: number }> =>
      user.send('post', `/r4/Patient/${id}/$meta-add`, {
        resourceType: 'Parameters',
        parameter: [{ name: 'meta', valueMeta: { tag: [{ system: 's', code }] } }],
      });
    const codes = ['a', 'b', 'c', 'd'];
    const answers = await Promise.all(codes.map(adding));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const [only] = (await user.bundle('/r4/Patient')).matches;
    expect((only!.meta!['tag'] as { code: string }[]).map(({ code }) => code).toSorted()).toEqual(codes);
  });

  it('responds with 404 to unknown operations', async () => {
    for (const address of ['/r4/$nonsense', '/r4/Patient/$lastn', `/r4/Observation/${nobody}/$everything`])
      expect((await store.user().get(address)).status).toBe(404);
  });
});
