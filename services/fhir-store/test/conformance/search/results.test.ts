import { type Release, releases } from '@tributary/fhir-definitions';
import { type JsonObject, isJsonObject } from '@tributary/fhir-json';
import { FhirStoreUnderTest, baseUrl } from '../../fhir-store-under-test';
import { Bundle, resourceOf, textOf } from '../../record-over-http';
import { ClinicRecord } from './clinic-record';

type OrderCase = readonly [address: string, names: readonly string[], releases?: readonly Release[]];
type IncludeCase = readonly [address: string, matches: readonly string[], included: readonly string[]];

const later: readonly Release[] = ['stu3', 'r4'];

const orderCases: readonly OrderCase[] = [
  ['Patient?_sort=birthdate', ['carl', 'bob', 'anna', 'dora']],
  ['Patient?_sort=-birthdate', ['anna', 'bob', 'carl', 'dora']],
  ['Patient?_sort=family', ['dora', 'anna', 'bob', 'carl']],
  ['Patient?_sort=gender,-birthdate', ['anna', 'bob', 'carl', 'dora']],
  ['Patient?_sort=_lastUpdated', ['anna', 'bob', 'carl', 'dora']],
  ['Patient?_sort=-_lastUpdated', ['dora', 'carl', 'bob', 'anna']],
  ['Organization?_sort=name', ['clinic', 'hospital']],
  ['Organization?_sort=-name', ['hospital', 'clinic']],
  ['Observation?code=29463-7&_sort=date', ['old', 'weightLight', 'weight']],
  ['Observation?code=29463-7&_sort=-date', ['weightLight', 'weight', 'old']],
  ['Observation?code=29463-7&_sort=value-quantity', ['old', 'weightLight', 'weight']],
  ['Observation?code=29463-7&_sort=-value-quantity', ['weight', 'weightLight', 'old']],
  ['Observation?_sort=-date&code=GLU,29463-7', ['weightLight', 'weight', 'glucose', 'old']],
  ['RiskAssessment?_sort=probability', ['p1', 'p96', 'p99', 'p100'], later],
  ['RiskAssessment?_sort=-probability', ['p100', 'p99', 'p96', 'p1'], later],
];

const includeCases: readonly IncludeCase[] = [
  ['Patient?gender=female&_include=Patient:organization', ['anna'], ['clinic']],
  ['Patient?_include=Patient:organization', ['anna', 'bob', 'carl', 'dora'], ['clinic']],
  ['Patient?gender=female&_include=Patient:organization&_include=Patient:{doctor}', ['anna'], ['clinic', 'house']],
  [
    'Patient?gender=female&_include=Patient:organization&_include{iterate}=Organization:partof',
    ['anna'],
    ['clinic', 'hospital'],
  ],
  ['Patient?gender=female&_include=Patient:organization&_include=Organization:partof', ['anna'], ['clinic']],
  ['Observation?code=GLU&_include=Observation:subject', ['glucose'], ['bob']],
  ['Observation?code=GLU&_include=Observation:subject:Patient', ['glucose'], ['bob']],
  ['Observation?code=GLU&_include=Observation:subject:Group', ['glucose'], []],
  ['Observation?code=29463-7&_include=Observation:patient', ['weight', 'weightLight', 'old'], ['anna', 'bob', 'dora']],
  ['Patient?gender=female&_include=*', ['anna'], ['clinic', 'house']],
  ['Organization?name=general&_revinclude=Organization:partof', ['hospital'], ['clinic']],
  [
    'Organization?name=general&_revinclude=Organization:partof&_revinclude{iterate}=Patient:organization',
    ['hospital'],
    ['clinic', 'anna'],
  ],
  ['Patient?family:exact=Smith&_revinclude=Observation:patient', ['bob'], ['weightLight', 'glucose']],
  [
    'Patient?family:exact=Smith&_revinclude=Observation:subject&_revinclude=Condition:patient',
    ['bob'],
    ['weightLight', 'glucose', 'asthma'],
  ],
  ['Patient?gender=female&_include=Patient:organization&_revinclude=List:item', ['anna'], ['clinic', 'list']],
  ['Condition?code=local&_include=Condition:patient', ['elsewhere'], []],
];

describe.each(releases)('%s: search results', (release) => {
  let store: FhirStoreUnderTest;
  let record: ClinicRecord;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
    record = await ClinicRecord.create(store.user(), release);
  });
  afterAll(() => store.stop());

  const bundle = (address: string): Promise<Bundle> => record.user.bundle(record.address(address));
  const status = async (address: string): Promise<number> => (await record.user.get(record.address(address))).status;

  it.each(
    orderCases.filter(([, , on = releases]) => on.includes(release)).map(([address, names]) => ({ address, names })),
  )('#sort: $address', async ({ address, names }) => {
    expect(record.names((await bundle(address)).matches)).toEqual(names);
    expect(record.names(await record.user.all(record.address(`${address}&_count=1`)))).toEqual(names);
  });

  it('#sort: what cannot be sorted by is refused or left out, never guessed', async () => {
    const strict = await record.user.get(record.address('Patient?_sort=nonsense')).set('Prefer', 'handling=strict');
    expect(strict.status).toBe(400);
  });

  it.each(includeCases)('#include: %s', async (address, matches, included) => {
    const iterate = release === 'r4' ? ':iterate' : ':recurse';
    const page = await bundle(
      address
        .replaceAll('{iterate}', iterate)
        .replace('{doctor}', release === 'dstu2' ? 'careprovider' : 'general-practitioner'),
    );
    expect([record.names(page.matches).toSorted(), record.names(page.included).toSorted()]).toEqual([
      matches.toSorted(),
      included.toSorted(),
    ]);
  });

  it('#include: refuses parameters that are no references, and includes no resource twice', async () => {
    for (const bad of ['Patient:nonsense', 'Nonsense:subject', 'Patient:gender', 'Patient'])
      expect([bad, await status(`Patient?_include=${bad}`)]).toEqual([bad, 400]);
    const { entries } = await bundle(
      'Observation?_include=Observation:subject&_include=Observation:patient&_revinclude=Observation:subject',
    );
    const urls = entries.map(({ fullUrl }) => fullUrl);
    expect(new Set(urls).size).toBe(urls.length);
  });

  it('#include: counts matches only', async () => {
    const page = await bundle('Patient?_count=2&_total=accurate&_revinclude=Observation:patient');
    expect([page.matches.length, page.total]).toEqual([2, 4]);
  });

  describe('#count', () => {
    it.each([1, 2, 3, 7, 8, 9, 100])('%i on a page, each once over all pages', async (count) => {
      const first = await bundle(`Observation?_count=${count}`);
      expect(first.matches).toHaveLength(Math.min(count, 8));
      expect(first.link('next') === undefined).toBe(count >= 8);
      expect(new Set(record.names(await record.user.all(record.address(`Observation?_count=${count}`)))).size).toBe(8);
    });

    it('_count=0 counts', async () => {
      const page = await bundle('Observation?_count=0');
      expect([page.entries, page.total, page.link('next')]).toEqual([[], 8, undefined]);
    });

    it.each(['-1', 'x', '1.5', ''])('refuses or leaves out _count=%s', async (count) => {
      const response = await record.user
        .get(record.address(`Observation?_count=${count}`))
        .set('Prefer', 'handling=strict');
      expect(response.status).toBe(400);
    });
  });

  describe('#total', () => {
    it.each(['', '&_total=accurate', '&_total=estimate'])('"%s" returns the total on every page', async (total) => {
      const first = await bundle(`Observation?_count=3${total}`);
      expect(first.total).toBe(8);
      const second = await record.user.bundle(first.link('next') ?? '');
      expect([second.total, (await record.user.bundle(second.link('previous') ?? '')).total]).toEqual([8, 8]);
    });

    it.each(['code:text=w', '_sort=code', '_sort=date', '_content=weight OR glucose', 'status=final&_sort=-date'])(
      'counts all that match %s, on a small first page too',
      async (query) => {
        const all = await bundle(`Observation?${query}&_count=100`);
        const first = await bundle(`Observation?${query}&_count=1`);
        expect([first.matches.length, first.total, all.total]).toEqual([1, all.matches.length, all.matches.length]);
        expect(all.matches.length).toBeGreaterThan(1);
      },
    );

    it.each([3, 100])('_total=none returns no total with _count=%i', async (count) => {
      expect((await bundle(`Observation?_total=none&_count=${count}`)).total).toBeUndefined();
    });

    it('refuses another value', async () => {
      expect(await status('Observation?_total=roughly')).toBe(400);
    });
  });

  describe('#return: the Bundle', () => {
    it('is a searchset of entries with fullUrl, resource and search mode', async () => {
      const page = await bundle('Patient?gender=female&_include=Patient:organization');
      expect([page.resource.resourceType, page.resource['type']]).toEqual(['Bundle', 'searchset']);
      for (const { fullUrl, resource, search } of page.entries) {
        expect(fullUrl).toBe(`${baseUrl}/${release}/${resource?.resourceType}/${resource?.id}`);
        expect(isJsonObject(search)).toBe(true);
      }
      expect(page.entries.map(({ search }) => (search as JsonObject)['mode'])).toEqual(['match', 'include']);
    });

    it('#conformance: the self link holds what was used', async () => {
      const self = (await bundle('Patient?gender=female&nonsense=1&family:missing=false&_count=5')).link('self') ?? '';
      const query = new URL(self).searchParams;
      expect([...query.keys()].toSorted()).toEqual(['_count', 'family:missing', 'gender']);
    });

    it.each(['', '&_summary=count', '&_count=1', '&_sort=family,-shoe', '&Gender=male&nonsense=2'])(
      'begins with one issue for each ignored parameter or sort: nonsense=1%s',
      async (more) => {
        const page = await bundle(`Patient?nonsense=1&gender=female,male${more}`);
        const [first, ...others] = page.entries;
        expect(first).toMatchObject({ resource: { resourceType: 'OperationOutcome' }, search: { mode: 'outcome' } });
        expect(others.every(({ search }) => (search as JsonObject)['mode'] === 'match')).toBe(true);
        const names = ['nonsense', ...(more.match(/_sort|Gender/g) ?? [])];
        expect(first?.resource?.['issue']).toEqual(
          names.map((name) => ({
            severity: 'warning',
            code: 'not-supported',
            diagnostics: expect.stringMatching(`^${name} is ignored: `) as string,
            [release === 'dstu2' ? 'location' : 'expression']: [`http.${name}`],
          })),
        );
        const self = new URL(page.link('self') ?? '').searchParams;
        expect([self.get('gender'), self.get('_sort'), self.has('nonsense')]).toEqual([
          'female,male',
          more.includes('_sort') ? 'family' : null,
          false,
        ]);
        expect(page.total).toBe((await bundle('Patient?gender=female,male')).total);
      },
    );

    it('keeps the sort keys that are supported on later pages', async () => {
      const address = 'Observation?_sort=nonsense,code,-_id';
      const whole = record.names(await record.user.all(record.address(`${address}&_count=100`)));
      expect(record.names(await record.user.all(record.address(`${address}&_count=2`)))).toEqual(whole);
    });

    it('#errors: handling=strict refuses what handling=lenient leaves out, and the outcome names the parameter', async () => {
      const get = (prefer: string) => record.user.get(record.address('Patient?nonsense=1')).set('Prefer', prefer);
      expect((await get('handling=lenient')).status).toBe(200);
      const strict = await get('handling=strict');
      expect([strict.status, textOf(strict)]).toEqual([400, expect.stringContaining('nonsense')]);
      const invalid = await record.user.get(record.address('Patient?birthdate=x'));
      const [issue] = resourceOf(invalid)['issue'] as JsonObject[];
      expect(issue?.[release === 'dstu2' ? 'location' : 'expression']).toEqual(['http.birthdate']);
    });

    it('an empty result is no fault', async () => {
      const page = await bundle('Patient?gender=other');
      expect([page.entries, page.total, page.resource]).toEqual([[], 0, expect.not.objectContaining({ entry: [] })]);
    });
  });

  describe('#summary', () => {
    const membersOf = async (query: string): Promise<string[]> =>
      Object.keys((await bundle(`Observation?code:text=remark&${query}`)).matches[0] ?? {}).toSorted();

    it.each([
      ['true', { has: ['resourceType', 'id', 'meta', 'status', 'code', 'valueString'], lacks: ['text'] }],
      ['text', { has: ['resourceType', 'id', 'meta', 'text', 'status', 'code'], lacks: ['valueString'] }],
      ['data', { has: ['resourceType', 'id', 'meta', 'status', 'code', 'valueString'], lacks: ['text'] }],
      ['false', { has: ['resourceType', 'id', 'meta', 'status', 'code', 'valueString', 'text'], lacks: [] }],
    ] as [string, { has: string[]; lacks: string[] }][])('_summary=%s', async (summary, { has, lacks }) => {
      const members = await membersOf(`_summary=${summary}`);
      expect(members).toEqual(expect.arrayContaining(has));
      expect(members.filter((name) => lacks.includes(name))).toEqual([]);
      expect(
        textOf(await record.user.get(record.address(`Observation?code:text=remark&_summary=${summary}`))).includes(
          'SUBSETTED',
        ),
      ).toBe(summary !== 'false');
    });

    it('_summary=count', async () => {
      const page = await bundle('Observation?_summary=count');
      expect([page.entries, page.total]).toEqual([[], 8]);
    });

    it('refuses another value', async () => {
      expect(await status('Observation?_summary=nonsense')).toBe(400);
    });
  });

  describe('#elements', () => {
    it.each([
      ['gender,birthDate', ['birthDate', 'gender', 'id', 'meta', 'resourceType']],
      ['identifier', ['id', 'identifier', 'meta', 'resourceType']],
      ['nonsense', ['id', 'meta', 'resourceType']],
    ])('_elements=%s', async (elements, members) => {
      const [anna] = (await bundle(`Patient?gender=female&_elements=${elements}`)).matches;
      expect(Object.keys(anna ?? {}).toSorted()).toEqual(members);
      expect(anna?.meta?.['tag']).toEqual([expect.objectContaining({ code: 'SUBSETTED' })]);
    });

    it('keeps mandatory elements, and all types of an element requested by choice name', async () => {
      const [note] = (await bundle('Observation?code:text=remark&_elements=value')).matches;
      expect(Object.keys(note ?? {}).toSorted()).toEqual([
        'code',
        'id',
        'meta',
        'resourceType',
        'status',
        'valueString',
      ]);
    });
  });

  describe('#contained', () => {
    it('returns the container, or with _containedType=contained the contained resource, under its own address', async () => {
      const container = await bundle('Practitioner?family=inner&_contained=true&_containedType=container');
      expect(record.names(container.matches)).toEqual(['elsewhere']);
      const inner = await bundle('Practitioner?family=inner&_contained=true&_containedType=contained');
      expect([inner.matches[0]?.resourceType, inner.entries[0]?.fullUrl]).toEqual([
        'Practitioner',
        expect.stringMatching(/\/Condition\/[-0-9a-f]+#p$/),
      ]);
    });
  });

  describe('#introduction: POST _search', () => {
    const post = (address: string, form: string) =>
      record.user.send('post', record.address(address)).type('form').send(form);
    const namesIn = async (test: ReturnType<typeof post>): Promise<string[]> =>
      record.names(new Bundle(resourceOf(await test)).matches).toSorted();

    it.each([
      ['Patient/_search', 'gender=female', ['anna']],
      ['Patient/_search?gender=female', '', ['anna']],
      ['Patient/_search?gender=male', 'family=smith', ['bob']],
      ['Patient/_search', 'family:exact=Smith&gender=male', ['bob']],
      ['Patient/_search', 'family=M%C3%BCller', ['anna']],
      ['Patient/_search', 'family=van+der', ['anna']],
      ['_search', '_type=Organization', ['clinic', 'hospital']],
      ['Patient/{anna}/Condition/_search', 'code=73211009', ['diabetes']],
    ])('POST %s %s', async (address, form, names) => {
      expect(await namesIn(post(address, form))).toEqual(names);
    });

    it('takes forms only', async () => {
      expect((await record.user.send('post', record.address('Patient/_search'), '{}')).status).toBe(415);
    });

    it('pages on by GET', async () => {
      const first = new Bundle(resourceOf(await post('Observation/_search', '_count=5')));
      const second = await record.user.bundle(first.link('next') ?? '');
      expect(new Set(record.names([...first.matches, ...second.matches])).size).toBe(8);
    });
  });

  it.each([
    ['Patient/{anna}/Observation', ['bp', 'smoker', 'weight', 'weightGrams']],
    ['Patient/{bob}/Observation?code=GLU', ['glucose']],
    ['Patient/{anna}/Condition', ['diabetes']],
    ['Patient/{dora}/*', ['dora', 'old']],
  ])('compartments: %s', async (address, names) => {
    const found = record
      .names((await bundle(address)).matches)
      .filter((name) => name !== 'dora' || names.includes(name));
    expect(found.toSorted()).toEqual(names);
  });

  it('paging: a link returns the same page, to its own user and address only', async () => {
    const next = (await bundle('Observation?_count=3')).link('next') ?? '';
    expect((await record.user.get(next)).status).toBe(200);
    expect(record.names((await record.user.bundle(next)).matches)).toEqual(
      record.names((await record.user.bundle(next)).matches),
    );
    expect((await store.user().get(next)).status).toBe(400);
    expect((await record.user.get(next.replace('/Observation?', '/Patient?'))).status).toBe(400);
  });
});
