import type { JsonObject } from '@tributary/fhir-json';
import { FhirStoreUnderTest, baseUrl } from '../../test/fhir-store-under-test';
import { Bundle, resourceOf } from '../../test/record-over-http';

const urn = (n: number): string => `urn:uuid:0190aaaa-0000-7000-8000-00000000000${n}`;
const nobody = '0190aaaa-0000-7000-8000-000000000000';

describe('batch and transaction', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  const post = (resource: JsonObject, fullUrl?: string, more: JsonObject = {}): JsonObject => ({
    ...(fullUrl ? { fullUrl } : {}),
    resource,
    request: { method: 'POST', url: String(resource['resourceType']), ...more },
  });
  const bundle = (type: string, entry: JsonObject[]): JsonObject => ({ resourceType: 'Bundle', type, entry });
  const responses = (answer: Bundle): { status: string; location?: string }[] =>
    answer.entries.map((entry) => entry['response'] as { status: string });

  it('links the entries of a transaction, whatever their order', async () => {
    const user = store.user();
    const answer = await user.send(
      'post',
      '/r4',
      bundle('transaction', [
        post(
          {
            resourceType: 'Observation',
            status: 'final',
            code: { text: 'x' },
            subject: { reference: urn(1) },
            performer: [{ reference: urn(2) }],
          },
          urn(3),
        ),
        post({ resourceType: 'Patient', id: 'p', generalPractitioner: [{ reference: 'Practitioner/d' }] }, urn(1)),
        post(
          { resourceType: 'Practitioner', id: 'd', name: [{ family: 'Doe' }] },
          'https://elsewhere.example.org/fhir/Practitioner/d',
        ),
        post({ resourceType: 'Practitioner', name: [{ family: 'Roe' }] }, urn(2)),
      ]),
    );
    expect(answer.status).toBe(200);
    const result = new Bundle(resourceOf(answer));
    expect(result.resource['type']).toBe('transaction-response');
    expect(responses(result).map(({ status }) => status)).toEqual([
      '201 Created',
      '201 Created',
      '201 Created',
      '201 Created',
    ]);
    const [observation, patient, doe, roe] = result.entries.map(({ resource }) => resource);
    expect(observation).toMatchObject({
      subject: { reference: `Patient/${patient?.id}` },
      performer: [{ reference: `Practitioner/${roe?.id}` }],
    });
    expect(patient).toMatchObject({ generalPractitioner: [{ reference: `Practitioner/${doe?.id}` }] });
    expect(responses(result)[0]?.location).toBe(`${baseUrl}/r4/Observation/${observation?.id}/_history/1`);
    expect((await user.bundle('/r4/Observation?patient.general-practitioner.name=doe')).matches).toHaveLength(1);
  });

  it.each([
    ['r4', 'expression', 'Bundle.entry[1]'],
    ['dstu2', 'location', '/f:Bundle/f:entry[2]'],
  ] as const)('names the entry whose criteria are not supported, in %s', async (release, member, position) => {
    const answer = await store
      .user()
      .send(
        'post',
        `/${release}`,
        bundle('transaction', [
          post({ resourceType: 'Patient' }),
          post({ resourceType: 'Patient' }, undefined, { ifNoneExist: 'no-such-parameter=1' }),
        ]),
      );
    expect(answer.status).toBe(400);
    const [issue] = resourceOf(answer)['issue'] as JsonObject[];
    expect(issue).toMatchObject({ [member]: [position] });
    expect(issue?.['diagnostics']).toContain('no-such-parameter');
  });

  it('writes all or nothing, and names the faulty entry by its index in the Bundle', async () => {
    const user = store.user();
    const answer = await user.send(
      'post',
      '/r4',
      bundle('transaction', [
        post({ resourceType: 'Patient' }),
        post({ resourceType: 'Patient', gender: 'x' }),
        post({ resourceType: 'Observation', status: 'final' }),
      ]),
    );
    expect(answer.status).toBe(422);
    expect((resourceOf(answer)['issue'] as { expression: string[] }[]).flatMap(({ expression }) => expression)).toEqual(
      ['Bundle.entry[1].resource.gender', expect.stringMatching(/^Bundle\.entry\[2\]\.resource/)],
    );
    expect((await user.bundle('/r4/Patient')).matches).toEqual([]);
    const { id } = await user.create('r4', { resourceType: 'Patient' });
    const conflict = await user.send(
      'post',
      '/r4',
      bundle('transaction', [
        post({ resourceType: 'Patient' }),
        {
          resource: { resourceType: 'Patient', id },
          request: { method: 'PUT', url: `Patient/${id}`, ifMatch: 'W/"9"' },
        },
      ]),
    );
    expect(conflict.status).toBe(412);
    expect((await user.bundle('/r4/Patient')).matches).toHaveLength(1);
  });

  it('updates, deletes and reads in one transaction', async () => {
    const user = store.user();
    const [kept, gone] = [
      await user.create('r4', { resourceType: 'Patient' }),
      await user.create('r4', { resourceType: 'Patient', gender: 'male' }),
    ];
    const answer = await user.send(
      'post',
      '/r4/',
      bundle('transaction', [
        { request: { method: 'GET', url: 'Patient?_summary=count' } },
        {
          resource: { resourceType: 'Patient', id: kept.id, gender: 'female' },
          request: { method: 'PUT', url: `Patient/${kept.id}`, ifMatch: 'W/"1"' },
        },
        { request: { method: 'DELETE', url: `${baseUrl}/r4/Patient/${gone.id}` } },
        { resource: { resourceType: 'Patient', id: nobody }, request: { method: 'PUT', url: `/r4/Patient/${nobody}` } },
      ]),
    );
    const result = new Bundle(resourceOf(answer));
    expect(responses(result).map(({ status }) => status)).toEqual([
      '200 OK',
      '200 OK',
      '204 No Content',
      '201 Created',
    ]);
    expect(result.entries[0]?.resource?.['total']).toBe(2);
  });

  it('obeys conditions', async () => {
    const user = store.user();
    const patient = { resourceType: 'Patient', identifier: [{ system: 's', value: '1' }] };
    const entries = [
      post(patient, urn(1), { ifNoneExist: 'identifier=s|1' }),
      post({ resourceType: 'Basic', code: { text: 'x' }, subject: { reference: urn(1) } }),
    ];
    const first = new Bundle(resourceOf(await user.send('post', '/r4', bundle('transaction', entries))));
    const second = new Bundle(resourceOf(await user.send('post', '/r4', bundle('transaction', entries))));
    expect([responses(first)[0]?.status, responses(second)[0]?.status]).toEqual(['201 Created', '200 OK']);
    const [{ id } = { id: '' }] = (await user.bundle('/r4/Patient')).matches;
    expect((await user.bundle(`/r4/Basic?subject=Patient/${id}`)).matches).toHaveLength(2);
    const conditional = await user.send(
      'post',
      '/r4',
      bundle('transaction', [
        post({ resourceType: 'Basic', code: { text: 'y' }, subject: { reference: 'Patient?identifier=s|1' } }),
      ]),
    );
    expect(new Bundle(resourceOf(conditional)).entries[0]?.resource).toMatchObject({
      subject: { reference: `Patient/${id}` },
    });
    expect(
      (
        await user.send(
          'post',
          '/r4',
          bundle('transaction', [
            post({ resourceType: 'Basic', code: { text: 'y' }, subject: { reference: 'Patient?identifier=s|2' } }),
          ]),
        )
      ).status,
    ).toBe(412);
  });

  it('links narratives, and leaves the urn in an identifier alone', async () => {
    const user = store.user();
    const div = (first: string, second: string): string =>
      `<div xmlns="http://www.w3.org/1999/xhtml"><p>${urn(1)} <a href="${first}">him</a> <img src='${second}' alt="x"/> <a href="http://x.example.org">x</a></p></div>`;
    const answer = new Bundle(
      resourceOf(
        await user.send(
          'post',
          '/r4',
          bundle('transaction', [
            post({ resourceType: 'Patient', identifier: [{ system: 'urn:ietf:rfc:3986', value: urn(1) }] }, urn(1)),
            post(
              { resourceType: 'Basic', code: { text: 'x' }, text: { status: 'additional', div: div(urn(1), urn(2)) } },
              urn(2),
            ),
          ]),
        ),
      ),
    );
    const [patient, basic] = answer.entries.map(({ resource }) => resource);
    expect(patient?.['identifier']).toEqual([{ system: 'urn:ietf:rfc:3986', value: urn(1) }]);
    expect(basic?.['text']).toEqual({ status: 'additional', div: div(`Patient/${patient?.id}`, `Basic/${basic?.id}`) });
  });

  it('refuses a transaction with one fullUrl for two resources', async () => {
    const user = store.user();
    const answer = await user.send(
      'post',
      '/r4',
      bundle('transaction', [post({ resourceType: 'Patient' }, urn(1)), post({ resourceType: 'Patient' }, urn(1))]),
    );
    expect([answer.status, resourceOf(answer)['issue']]).toEqual([
      400,
      [expect.objectContaining({ code: 'invariant' })],
    ]);
  });

  it('refuses a transaction that is about one resource twice', async () => {
    const user = store.user();
    const put = {
      resource: { resourceType: 'Patient', id: nobody },
      request: { method: 'PUT', url: `Patient/${nobody}` },
    };
    expect(
      (
        await user.send(
          'post',
          '/r4',
          bundle('transaction', [put, { request: { method: 'DELETE', url: `Patient/${nobody}` } }]),
        )
      ).status,
    ).toBe(400);
  });

  it.each(['dstu2', 'stu3', 'r4'] as const)(
    '%s: carries out the entries of a batch each for itself',
    async (release) => {
      const user = store.user();
      const answer = await user.send(
        'post',
        `/${release}`,
        bundle('batch', [
          post({ resourceType: 'Patient' }),
          post({ resourceType: 'Patient', gender: 'x' }),
          { request: { method: 'GET', url: `Patient/${nobody}` } },
          { request: { method: 'GET', url: 'Patient?gender=male' } },
          { request: { method: 'POST', url: 'Nonsense' }, resource: { resourceType: 'Nonsense' } },
          { resource: { resourceType: 'Bundle', type: 'batch' }, request: { method: 'POST', url: '/' } },
          { request: { method: 'constructor', url: 'Patient' } },
          { request: { method: 'GET', url: 'https://elsewhere.example.org/Patient' } },
          { request: { method: 'GET', url: 'Patient/%zz' } },
        ]),
      );
      expect(answer.status).toBe(200);
      expect(responses(new Bundle(resourceOf(answer))).map(({ status }) => status.slice(0, 3))).toEqual([
        '201',
        '422',
        '404',
        '200',
        '404',
        '400',
        '405',
        '400',
        '400',
      ]);
    },
  );

  it('writes the creates of a batch that follow one another together, without those that are not valid', async () => {
    const user = store.user();
    const isValid = (n: number): boolean => n % 7 !== 3;
    const entries = Array.from({ length: 150 }, (_, n) =>
      post({ resourceType: 'Patient', gender: isValid(n) ? 'other' : 'x', identifier: [{ value: `n${n}` }] }),
    );
    const answers = responses(new Bundle(resourceOf(await user.send('post', '/r4', bundle('batch', entries)))));
    expect(answers.map(({ status }) => status.slice(0, 3))).toEqual(
      entries.map((_, n) => (isValid(n) ? '201' : '422')),
    );
    const ids = answers.map(({ location }) => location?.split('/').at(-3));
    for (const n of [0, 99, 100, 149]) {
      const found = await user.bundle(`/r4/Patient?identifier=n${n}`);
      expect(found.matches.map(({ id }) => id)).toEqual([ids[n]]);
    }
    const times = await store.pool.query(
      'SELECT last_updated FROM fhir_store.resource WHERE user_id = $1 GROUP BY last_updated',
      [user.userId],
    );
    expect(times.rowCount).toBeLessThanOrEqual(2);
  });

  it('stores nothing more after the error response of a batch', async () => {
    const user = store.user();
    await store.pool.query(`
      CREATE SEQUENCE public.inserts;
      CREATE FUNCTION public.refuse_third() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.user_id = ${user.userId} AND nextval('public.inserts') = 3 THEN RAISE EXCEPTION 'outage' USING ERRCODE = '53000'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse_third BEFORE INSERT ON fhir_store.resource FOR EACH ROW EXECUTE FUNCTION public.refuse_third()`);
    const answer = await user.send(
      'post',
      '/r4',
      bundle(
        'batch',
        Array.from({ length: 40 }, (_, n) => ({
          ...post({ resourceType: 'Patient' }),
          request: { method: 'POST', url: 'Patient', ifNoneExist: `identifier=${n}` },
        })),
      ),
    );
    await store.pool.query('DROP TRIGGER refuse_third ON fhir_store.resource');
    expect(answer.status).toBe(502);
    const stored = async (): Promise<unknown> => (await user.bundle('/r4/Patient?_summary=count')).total;
    const atAnswer = await stored();
    expect(atAnswer).toBeLessThanOrEqual(6);
    const other = store.user();
    for (let n = 0; n < 40; n++) await other.create('r4', { resourceType: 'Patient' });
    expect(await stored()).toBe(atAnswer);
  });

  it.each([
    ['no Bundle', { resourceType: 'Patient' }],
    ['another type of Bundle', { resourceType: 'Bundle', type: 'collection' }],
    [
      'an entry without request',
      { resourceType: 'Bundle', type: 'transaction', entry: [{ resource: { resourceType: 'Patient' } }] },
    ],
    [
      'a request elsewhere in a transaction',
      {
        resourceType: 'Bundle',
        type: 'transaction',
        entry: [
          {
            resource: { resourceType: 'Patient' },
            request: { method: 'POST', url: 'https://elsewhere.example.org/Patient' },
          },
        ],
      },
    ],
    [
      'a reading elsewhere in a transaction',
      {
        resourceType: 'Bundle',
        type: 'transaction',
        entry: [{ request: { method: 'GET', url: 'https://elsewhere.example.org/Patient' } }],
      },
    ],
    ['entries that are no objects', { resourceType: 'Bundle', type: 'batch', entry: [null, 7] }],
    [
      'a PATCH in a transaction',
      {
        resourceType: 'Bundle',
        type: 'transaction',
        entry: [{ request: { method: 'PATCH', url: `Patient/${nobody}` } }],
      },
    ],
  ])('refuses %s', async (_what, body) => {
    expect((await store.user().send('post', '/r4', body as JsonObject)).status).toBe(400);
  });
});
