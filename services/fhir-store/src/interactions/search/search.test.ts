import { randomUUID } from 'node:crypto';
import type { JsonObject } from '@tributary/fhir-json';
import { FhirStoreUnderTest, baseUrl } from '../../../test/fhir-store-under-test';
import { type Bundle, type RecordOverHttp, resourceOf, textOf } from '../../../test/record-over-http';

describe('search', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  const observation = (more: object = {}): JsonObject => ({
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'x' },
    ...more,
  });
  const named = (family: string): JsonObject => ({ resourceType: 'Patient', name: [{ family }] });
  const idsOf = (resources: readonly { id?: string }[]): string[] => resources.map(({ id }) => id ?? '').toSorted();

  async function several(
    user: RecordOverHttp,
    count: number,
    of: (n: number) => JsonObject = () => observation(),
  ): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n++) ids.push((await user.create('r4', of(n))).id);
    return ids;
  }

  describe('pages', () => {
    it('have 20 entries by default, and self and next links', async () => {
      const user = store.user();
      const ids = await several(user, 25);
      const first = await user.bundle('/r4/Observation?status=final&nonsense=1');
      expect([first.matches.length, first.total, first.link('self')]).toEqual([
        20,
        25,
        `${baseUrl}/r4/Observation?status=final`,
      ]);
      const second = await user.bundle(first.link('next') ?? '');
      expect([second.matches.length, second.link('next'), second.link('self')]).toEqual([
        5,
        undefined,
        first.link('next'),
      ]);
      expect(idsOf([...first.matches, ...second.matches])).toEqual(ids.toSorted());
      expect((await user.bundle('/r4/Observation?_count=1000')).total).toBe(25);
      expect((await user.bundle('/r4/Observation?_count=5&_total=accurate')).total).toBe(25);
      expect((await user.bundle('/r4/Observation?_count=0')).resource).toMatchObject({ total: 25 });
      expect((await user.bundle('/r4/Observation?_summary=count')).entries).toEqual([]);
    });

    it.each(['', '_sort=-_lastUpdated', '_sort=date', '_sort=-_id', '_sort=code', 'code:text=x', '_total=accurate'])(
      'neither repeat nor lose anything while resources come (%s)',
      async (query) => {
        const user = store.user();
        const before = await several(user, 11, (n) =>
          observation({ code: { text: `x${n % 3}` }, ...(n % 4 ? { effectiveDateTime: `20${10 + n}` } : {}) }),
        );
        const seen: string[] = [];
        for (let next: string | undefined = `/r4/Observation?_count=3&${query}`; next !== undefined;) {
          const page = await user.bundle(next);
          seen.push(...page.matches.map(({ id }) => id ?? ''));
          await several(user, 1, () => observation({ code: { text: 'x1' }, effectiveDateTime: '2012-02' }));
          next = page.link('next');
        }
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toEqual(expect.arrayContaining(before));
      },
    );

    it('belong to their user and address, and cannot be forged', async () => {
      const [user, other] = [store.user(), store.user()];
      await several(user, 3);
      const next = (await user.bundle('/r4/Observation?_count=1')).link('next') ?? '';
      const token = next.split('_page=')[1] ?? '';
      expect((await user.get(next)).status).toBe(200);
      expect((await other.get(next)).status).toBe(400);
      expect((await user.get(next.replace('Observation', 'Patient'))).status).toBe(400);
      for (const forged of ['x', 'A'.repeat(80), `${token.slice(0, -2)}AA`, `${token}AA`, '%00'])
        expect((await user.get(`/r4/Observation?_page=${forged}`)).status).toBe(400);
    });

    it('are the same for a search by POST', async () => {
      const user = store.user();
      await several(user, 3);
      const ids = Array.from({ length: 3000 }, (_, n) => `code-${n}`).join(',');
      const form = await user
        .send('post', '/r4/Observation/_search?_count=2')
        .type('form')
        .send(`code:not=${ids}&status=final`);
      expect(form.status).toBe(200);
      const bundle = resourceOf(form);
      expect(bundle['entry']).toHaveLength(2);
      const next =
        (bundle['link'] as { relation: string; url: string }[]).find(({ relation }) => relation === 'next')?.url ?? '';
      expect((await user.bundle(next)).matches).toHaveLength(1);
      expect((await user.send('post', '/r4/Observation/_search', '{}')).status).toBe(415);
      const long = Array.from({ length: 3000 }, () => randomUUID()).join(',');
      const refused = await user.send('post', '/r4/Observation/_search?_count=2').type('form').send(`code:not=${long}`);
      expect([refused.status, textOf(refused)]).toEqual([400, expect.stringContaining('too-costly')]);
      expect(
        (await user.send('post', '/r4/Observation/_search?_count=3').type('form').send(`code:not=${long}`)).status,
      ).toBe(200);
    });
  });

  it('sorts by values of the index and by values of the content alone', async () => {
    const user = store.user();
    await several(user, 5, (n) => named(['Zoe', 'Émile', 'adam', 'Bob', 'zac'][n] as string));
    await user.create('r4', { resourceType: 'Patient' });
    const families = async (sort: string, count = 100) =>
      (await user.all(`/r4/Patient?_sort=${sort}&_count=${count}`)).map(
        (patient) => (patient['name'] as { family: string }[] | undefined)?.[0]?.family,
      );
    expect(await families('family')).toEqual(['adam', 'Bob', 'Émile', 'zac', 'Zoe', undefined]);
    expect(await families('-family', 2)).toEqual(['Zoe', 'zac', 'Émile', 'Bob', 'adam', undefined]);
  });

  it('decides criteria on the content where the index is inexact', async () => {
    const user = store.user();
    await several(user, 7, (n) => observation({ code: { text: n % 2 ? `odd one ${n}` : 'even' } }));
    expect(await user.all('/r4/Observation?code:text=odd&_count=2')).toHaveLength(3);
    expect((await user.bundle('/r4/Observation?code:text=odd&_count=2&_total=accurate')).total).toBe(3);
    expect((await user.bundle('/r4/Observation?code:text=odd&_summary=count')).total).toBe(3);
  });

  describe('across resources', () => {
    let user: RecordOverHttp;
    let ids: { doctor: string; patient: string; other: string; observation: string; member: string; list: string };
    beforeAll(async () => {
      user = store.user();
      const doctor = (await user.create('r4', { resourceType: 'Practitioner', name: [{ family: 'Doe' }] })).id;
      const patient = (
        await user.create('r4', { ...named('Smith'), generalPractitioner: [{ reference: `Practitioner/${doctor}` }] })
      ).id;
      const other = (await user.create('r4', named('Jones'))).id;
      const member = (
        await user.create(
          'r4',
          observation({ code: { coding: [{ code: 'm' }] }, subject: { reference: `Patient/${patient}` } }),
        )
      ).id;
      const panel = (
        await user.create(
          'r4',
          observation({
            code: { coding: [{ code: 'p' }] },
            subject: { reference: `${baseUrl}/r4/Patient/${patient}` },
            hasMember: [{ reference: `Observation/${member}` }],
          }),
        )
      ).id;
      const list = (
        await user.create('r4', {
          resourceType: 'List',
          status: 'current',
          mode: 'working',
          entry: [{ item: { reference: `Patient/${other}` } }],
        })
      ).id;
      ids = { doctor, patient, other, observation: panel, member, list };
    });

    it.each([
      ['Observation?subject:Patient.name=smith&code=m', 'member'],
      ['Observation?patient.general-practitioner.family=doe&code=m', 'member'],
      ['Patient?_has:Observation:patient:code=p', 'patient'],
      ['Practitioner?_has:Patient:general-practitioner:_has:Observation:patient:code=m', 'doctor'],
      ['Observation?has-member.code=m', 'observation'],
      ['Patient?_has:Observation:patient:code=nothing', undefined],
    ])('chains: %s', async (address, expected) => {
      const found = (await user.bundle(`/r4/${address}`)).matches;
      expect(idsOf(found)).toEqual(expected ? [ids[expected as keyof typeof ids]] : []);
    });

    it('lists', async () => {
      expect(idsOf((await user.bundle(`/r4/Patient?_list=${ids.list}`)).matches)).toEqual([ids.other]);
      expect((await user.bundle('/r4/Patient?_list=unknown')).matches).toEqual([]);
    });

    it('includes referenced and referring resources', async () => {
      const one = await user.bundle('/r4/Observation?code=p&_include=Observation:has-member');
      expect([idsOf(one.matches), idsOf(one.included)]).toEqual([[ids.observation], [ids.member]]);
      const iterated = await user.bundle(
        '/r4/Observation?code=p&_include=Observation:has-member&_include:iterate=Observation:subject&_include:iterate=Patient:general-practitioner',
      );
      expect(idsOf(iterated.included)).toEqual(idsOf([{ id: ids.member }, { id: ids.patient }, { id: ids.doctor }]));
      const back = await user.bundle('/r4/Patient?family=smith&_revinclude=Observation:subject');
      expect(idsOf(back.included)).toContain(ids.member);
      const all = await user.bundle('/r4/Observation?code=p&_include=*');
      expect(idsOf(all.included)).toEqual(expect.arrayContaining([ids.member]));
      expect((await user.get('/r4/Observation?_include=Observation:nonsense')).status).toBe(400);
    });

    it('searches several types, and all', async () => {
      expect(idsOf((await user.bundle('/r4?_type=Practitioner,List')).matches)).toEqual(
        idsOf([{ id: ids.doctor }, { id: ids.list }]),
      );
      expect((await user.bundle('/r4')).total).toBe(6);
      expect(idsOf((await user.bundle(`/r4?_id=${ids.list}`)).matches)).toEqual([ids.list]);
      expect((await user.get('/r4?_type=Nonsense')).status).toBe(400);
      const posted = await user.send('post', '/r4/_search').type('form').send('_type=List');
      expect(resourceOf(posted)['entry']).toHaveLength(1);
    });
  });

  it('returns parts of resources, tagged as SUBSETTED', async () => {
    const user = store.user();
    await user.create('r4', {
      ...named('Smith'),
      gender: 'male',
      photo: [{ title: 'x' }],
      text: { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">x</div>' },
    });
    const keys = async (query: string) =>
      Object.keys((await user.bundle(`/r4/Patient?${query}`)).matches[0] ?? {})
        .filter((key) => !['resourceType', 'id', 'meta'].includes(key))
        .toSorted();
    expect(await keys('_elements=gender,photo')).toEqual(['gender', 'photo']);
    expect(await keys('_summary=true')).toEqual(['gender', 'name']);
    expect(await keys('_summary=text')).toEqual(['text']);
    expect(await keys('_summary=data')).toEqual(['gender', 'name', 'photo']);
    expect(textOf(await user.get('/r4/Patient?_elements=gender'))).toContain('SUBSETTED');
  });

  it.each(['dstu2', 'stu3', 'r4'] as const)(
    '%s: compares a date with that of the zone which a time is written with, and a time with the instant',
    async (release) => {
      const user = store.user();
      const times = ['2024-03-08T22:00:00-08:00', '2024-01-01T00:30:00+01:00', '2024-06-01T12:00:00+02:00'];
      const [evening, newYear, noon] = await Promise.all(
        times.map(async (effectiveDateTime) => (await user.create(release, observation({ effectiveDateTime }))).id),
      );
      const found = async (date: string): Promise<string[]> =>
        idsOf((await user.bundle(`/${release}/Observation?date=${date}`)).matches);
      const sorted = (...ids: (string | undefined)[]): (string | undefined)[] => ids.toSorted();
      expect(await found('2024-03-08')).toEqual([evening]);
      expect(await found('2024-03-09')).toEqual([]);
      expect(await found('sa2024-03-08')).toEqual([noon]);
      expect(await found('le2024-03-08')).toEqual(sorted(evening, newYear));
      expect(await found('2024')).toEqual(sorted(evening, newYear, noon));
      expect(await found('2023')).toEqual([]);
      expect(await found('eb2024-01')).toEqual([]);
      expect(await found('ne2024-06-01')).toEqual(sorted(evening, newYear));
      expect(await found('ge2024-03-09T06:00:00Z')).toEqual(sorted(evening, noon));
      expect(await found('lt2024-01-01T00:00:00Z')).toEqual([newYear]);
      expect((await user.bundle(`/${release}/Observation?_sort=date`)).matches.map(({ id }) => id)).toEqual([
        newYear,
        evening,
        noon,
      ]);
    },
  );

  it('compares each of several dates of an element by its own zone', async () => {
    const user = store.user();
    const plan = (...starts: string[]): JsonObject => ({
      resourceType: 'CarePlan',
      status: 'active',
      intent: 'plan',
      subject: { reference: 'Patient/1' },
      activity: starts.map((start) => ({ detail: { status: 'scheduled', scheduledPeriod: { start, end: start } } })),
    });
    const { id } = await user.create('r4', plan('2024-03-08T22:00:00-08:00', '2024-05-01T12:00:00Z'));
    const found = async (date: string): Promise<string[]> =>
      idsOf((await user.bundle(`/r4/CarePlan?activity-date=${date}`)).matches);
    expect(await found('2024-03-08')).toEqual([id]);
    expect(await found('2024-03-09')).toEqual([]);
    expect(await found('2024-05-01')).toEqual([id]);
    expect(await found('2024-03-09T06:00:00Z')).toEqual([id]);
  });

  it('includes the version that a reference names', async () => {
    const user = store.user();
    const { id } = await user.create('r4', named('First'));
    const refer = (reference: string): Promise<unknown> =>
      user.create('r4', observation({ subject: { reference: `Patient/${id}${reference}` } }));
    const included = async (): Promise<string[]> =>
      (await user.bundle('/r4/Observation?_include=Observation:subject')).included
        .map(({ meta, name }) => `${meta?.versionId} ${JSON.stringify(name)}`)
        .toSorted();
    await refer('/_history/1');
    await refer('/_history/7');
    expect(await included()).toEqual(['1 [{"family":"First"}]']);
    await user.send('put', `/r4/Patient/${id}`, { ...named('Second'), id });
    expect(await included()).toEqual(['1 [{"family":"First"}]']);
    await refer('');
    expect(await included()).toEqual(['1 [{"family":"First"}]', '2 [{"family":"Second"}]']);
    await refer('/_history/2');
    expect(await included()).toEqual(['1 [{"family":"First"}]', '2 [{"family":"Second"}]']);
    await user.send('delete', `/r4/Patient/${id}`);
    expect(await included()).toEqual(['1 [{"family":"First"}]', '2 [{"family":"Second"}]']);
  });

  it('says that a chain looked at the current version where a reference names another', async () => {
    const user = store.user();
    const { id } = await user.create('r4', named('First'));
    await user.create('r4', observation({ subject: { reference: `Patient/${id}/_history/1` } }));
    await user.create('r4', observation({ performer: [{ reference: `Patient/${id}/_history/1` }] }));
    await user.send('put', `/r4/Patient/${id}`, { ...named('Second'), id });
    const found = await user.bundle('/r4/Observation?subject:Patient.family=second');
    const outcomes = (bundle: Bundle): unknown[] =>
      bundle.entries.flatMap(({ resource }) =>
        resource?.resourceType === 'OperationOutcome' ? [resource['issue']] : [],
      );
    expect([found.total, outcomes(found)]).toEqual([
      1,
      [
        [
          expect.objectContaining({
            severity: 'information',
            expression: ['http.subject:Patient.family'],
            diagnostics: expect.stringContaining('current version'),
          }),
        ],
      ],
    ]);
    expect(outcomes(await user.bundle('/r4/Observation?subject:Patient.family=first'))).toEqual([]);
    expect(outcomes(await user.bundle('/r4/Observation?status=final'))).toEqual([]);
  });

  it('finds contained resources', async () => {
    const user = store.user();
    const { id } = await user.create(
      'r4',
      observation({
        contained: [{ resourceType: 'Patient', id: 'p', name: [{ family: 'Inner' }] }],
        subject: { reference: '#p' },
      }),
    );
    expect(idsOf((await user.bundle('/r4/Patient?family=inner&_contained=true')).matches)).toEqual([id]);
    const inner = await user.bundle('/r4/Patient?family=inner&_contained=true&_containedType=contained');
    expect([inner.matches[0], inner.entries[0]?.fullUrl]).toEqual([
      expect.objectContaining({ resourceType: 'Patient', id: 'p' }),
      `${baseUrl}/r4/Observation/${id}#p`,
    ]);
    const outer = await user.create('r4', named('Inner'));
    expect(
      idsOf((await user.bundle('/r4/Patient?family=inner&_contained=both&_containedType=contained')).matches),
    ).toEqual(idsOf([{ id: 'p' }, outer]));
  });

  it('refuses unsupported parameters by name', async () => {
    const user = store.user();
    const invalid = await user.get('/r4/Observation?date=yesterday');
    expect([invalid.status, resourceOf(invalid)['issue']]).toEqual([
      400,
      [expect.objectContaining({ expression: ['http.date'] })],
    ]);
    expect((await user.get('/r4/Observation?nonsense=1').set('Prefer', 'handling=strict')).status).toBe(400);
    expect((await user.get('/r4/Observation?nonsense=1').set('Prefer', 'handling=lenient')).status).toBe(200);
    expect((await user.get('/r4/Observation?code:nonsense=1')).status).toBe(400);
    expect((await user.get('/r4/Observation?_count=x')).status).toBe(400);
  });
});
