import { randomUUID } from 'node:crypto';
import { stringifyJson } from '@tributary/fhir-json';
import { FhirStoreUnderTest, baseUrl } from '../../test/fhir-store-under-test';
import { Bundle, type RecordOverHttp, resourceOf, textOf } from '../../test/record-over-http';

const nobody = '0190aaaa-0000-7000-8000-000000000000';

describe('versions: update, patch, delete, history', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  async function patient(user: RecordOverHttp, more: object = {}) {
    return user.create('r4', { resourceType: 'Patient', ...more });
  }

  it('updates, and reads every version', async () => {
    const user = store.user();
    const { id } = await patient(user, { gender: 'male' });
    const updated = await user.send('put', `/r4/Patient/${id}`, { resourceType: 'Patient', id, gender: 'female' });
    expect([updated.status, updated.headers['etag'], updated.headers['location']]).toEqual([
      200,
      'W/"2"',
      `${baseUrl}/r4/Patient/${id}/_history/2`,
    ]);
    expect(resourceOf(await user.get(`/r4/Patient/${id}/_history/1`))).toMatchObject({
      gender: 'male',
      meta: { versionId: '1' },
    });
    expect(resourceOf(await user.get(`/r4/Patient/${id}/_history/2`))).toMatchObject({
      gender: 'female',
      meta: { versionId: '2' },
    });
    for (const version of ['3', '0', 'x', '99999999999'])
      expect((await user.get(`/r4/Patient/${id}/_history/${version}`)).status).toBe(404);
    expect((await user.bundle('/r4/Patient?gender=male')).matches).toEqual([]);
    expect((await user.bundle('/r4/Patient?gender=female')).matches).toHaveLength(1);
  });

  it('implements If-Match: of two concurrent writers one succeeds', async () => {
    const user = store.user();
    const { id } = await patient(user);
    const put = (tag: string) =>
      user.send('put', `/r4/Patient/${id}`, { resourceType: 'Patient', id, active: true }).set('If-Match', tag);
    expect((await put('W/"2"')).status).toBe(412);
    expect((await put('"nonsense"')).status).toBe(412);
    const statuses = (await Promise.all([put('W/"1"'), put('W/"1"'), put('W/"1"')])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 412, 412]);
    expect((await put('*')).status).toBe(200);
    expect(
      (
        await user
          .send('put', `/r4/Patient/${nobody}`, { resourceType: 'Patient', id: nobody })
          .set('If-Match', 'W/"1"')
      ).status,
    ).toBe(412);
  });

  it('creates under an id that the client chose, if it is a UUID', async () => {
    const user = store.user();
    const chosen = randomUUID();
    const put = (id: string) => user.send('put', `/r4/Patient/${id}`, { resourceType: 'Patient', id });
    expect((await put(chosen)).status).toBe(201);
    expect((await put(chosen)).status).toBe(200);
    expect((await put('mine')).status).toBe(405);
    expect((await user.send('put', `/r4/Patient/${chosen}`, { resourceType: 'Patient' })).status).toBe(400);
    expect((await put(chosen).set('If-None-Match', '*')).status).toBe(412);
  });

  it('deletes, and restores by an update', async () => {
    const user = store.user();
    const { id } = await patient(user);
    expect((await user.send('delete', `/r4/Patient/${id}`).set('If-Match', 'W/"7"')).status).toBe(412);
    const deleted = await user.send('delete', `/r4/Patient/${id}`);
    expect([deleted.status, deleted.headers['etag']]).toEqual([204, 'W/"2"']);
    expect((await user.get(`/r4/Patient/${id}`)).status).toBe(410);
    expect((await user.get(`/r4/Patient/${id}/_history/2`)).status).toBe(410);
    expect((await user.get(`/r4/Patient/${id}/_history/1`)).status).toBe(200);
    expect((await user.bundle('/r4/Patient')).matches).toEqual([]);
    for (const address of [`/r4/Patient/${id}`, `/r4/Patient/${nobody}`, '/r4/Patient/unknown'])
      expect((await user.send('delete', address)).status).toBe(204);
    const again = await user.send('put', `/r4/Patient/${id}`, { resourceType: 'Patient', id });
    expect([again.status, again.headers['etag']]).toEqual([201, 'W/"3"']);
  });

  it('returns the history of a resource, a type and the record, in pages', async () => {
    const user = store.user();
    const { id } = await patient(user);
    for (let n = 2; n <= 5; n++)
      await user.send('put', `/r4/Patient/${id}`, { resourceType: 'Patient', id, active: n % 2 === 0 });
    await user.send('delete', `/r4/Patient/${id}`);
    await user.create('r4', { resourceType: 'Basic', code: { text: 'x' } });
    await user.create('dstu2', { resourceType: 'Patient' });
    const methods: string[] = [];
    for (let next: string | undefined = `/r4/Patient/${id}/_history?_count=4`; next !== undefined;) {
      const page: Bundle = await user.bundle(next);
      expect([page.resource['type'], page.total]).toEqual(['history', 6]);
      methods.push(...page.entries.map((entry) => (entry['request'] as { method: string }).method));
      next = page.link('next');
    }
    expect(methods).toEqual(['DELETE', 'PUT', 'PUT', 'PUT', 'PUT', 'POST']);
    expect((await user.bundle('/r4/Patient/_history')).entries).toHaveLength(6);
    expect((await user.bundle('/r4/_history')).entries).toHaveLength(7);
    expect((await user.bundle('/dstu2/_history')).entries).toHaveLength(1);
    expect((await user.bundle('/r4/_history?_since=2100-01-01')).entries).toEqual([]);
    expect((await user.bundle('/r4/_history?_since=2020')).entries).toHaveLength(7);
    expect((await user.bundle('/r4/Patient/_history?_at=2019')).entries).toHaveLength(0);
    expect((await user.get('/r4/_history?_since=soon')).status).toBe(400);
    expect((await user.get(`/r4/Patient/${nobody}/_history`)).status).toBe(404);
  });

  describe('JSON Patch', () => {
    const patch = (user: RecordOverHttp, id: string, operations: object[] | object) =>
      user
        .send('patch', `/r4/Observation/${id}`)
        .set('Content-Type', 'application/json-patch+json')
        .send(JSON.stringify(operations));
    const observation =
      '{"resourceType":"Observation","status":"final","code":{"text":"weight"},"valueQuantity":{"value":1.10},"note":[{"text":"a"},{"text":"b"}]}';

    async function created(user: RecordOverHttp) {
      return resourceOf(await user.send('post', '/r4/Observation', observation)).id as string;
    }

    it('changes the named element and keeps the text of all others', async () => {
      const user = store.user();
      const id = await created(user);
      const response = await patch(user, id, [
        { op: 'test', path: '/status', value: 'final' },
        { op: 'replace', path: '/status', value: 'amended' },
        { op: 'remove', path: '/note/0' },
        { op: 'add', path: '/note/-', value: { text: 'c' } },
        { op: 'copy', from: '/valueQuantity', path: '/component', value: 1 },
        { op: 'remove', path: '/component' },
        { op: 'move', from: '/note/0', path: '/note/1' },
      ]);
      expect(response.status).toBe(200);
      expect(resourceOf(response)).toMatchObject({
        status: 'amended',
        note: [{ text: 'c' }, { text: 'b' }],
        meta: { versionId: '2' },
      });
      expect(textOf(response)).toContain('"value":1.10}');
    });

    it.each([
      ['a test that fails', [{ op: 'test', path: '/status', value: 'x' }], 422],
      ['a path that is not there', [{ op: 'remove', path: '/nothing' }], 422],
      ['an index out of range', [{ op: 'replace', path: '/note/7', value: {} }], 422],
      ['a result that is not valid', [{ op: 'remove', path: '/status' }], 422],
      ['a new id', [{ op: 'replace', path: '/id', value: nobody }], 400],
      ['another type', [{ op: 'replace', path: '/resourceType', value: 'Patient' }], 400],
      ['an unknown op', [{ op: 'increment', path: '/status' }], 400],
      ['no array', { op: 'remove', path: '/status' }, 400],
      ['a prototype', [{ op: 'add', path: '/constructor/prototype/x', value: 1 }], 422],
    ])('refuses %s', async (_what, operations, status) => {
      const user = store.user();
      const id = await created(user);
      expect((await patch(user, id, operations)).status).toBe(status);
      expect((await user.get(`/r4/Observation/${id}`)).headers['etag']).toBe('W/"1"');
    });

    it('loses no concurrent patch', async () => {
      const user = store.user();
      const id = await created(user);
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, n) =>
          patch(user, id, [{ op: 'add', path: '/note/-', value: { text: `n${n}` } }]),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
      expect(resourceOf(await user.get(`/r4/Observation/${id}`))['note']).toHaveLength(8);
      expect((await patch(user, id, [{ op: 'remove', path: '/note' }]).set('If-Match', 'W/"1"')).status).toBe(412);
      expect((await patch(user, nobody, [])).status).toBe(404);
    });

    it.each([
      ['r4', 'application/json', '[]'],
      ['r4', 'application/fhir+json', '{}'],
      ['r4', 'text/plain', '[]'],
      ['stu3', 'application/json', '[]'],
      ['stu3', 'application/fhir+json', '{"resourceType":"Parameters"}'],
    ] as const)('%s as %s says which media type to send', async (release, contentType, body) => {
      const user = store.user();
      const { id } = await user.create(release, { resourceType: 'Patient' });
      const response = await user
        .send('patch', `/${release}/Patient/${id}`)
        .set('Content-Type', contentType)
        .serialize((text: unknown) => text as string)
        .send(body);
      expect([response.status, textOf(response)]).toEqual([
        415,
        expect.stringContaining('send a JSON Patch as application/json-patch+json'),
      ]);
      expect(response.headers['accept-patch']).toMatch(/^application\/json-patch\+json/);
    });
  });

  describe('FHIRPath Patch', () => {
    const operation = (type: string, path: string, parts: Record<string, unknown> = {}) => ({
      name: 'operation',
      part: [
        { name: 'type', valueCode: type },
        { name: 'path', valueString: path },
        ...Object.entries(parts).map(([name, value]) => ({ name, ...(value as object) })),
      ],
    });
    const patch = (user: RecordOverHttp, id: string, ...parameter: object[]) =>
      user.send('patch', `/r4/Patient/${id}`, { resourceType: 'Parameters', parameter } as never);

    it('adds, inserts, deletes, replaces and moves', async () => {
      const user = store.user();
      const { id } = await patient(user, {
        gender: 'male',
        active: true,
        telecom: [{ value: '1', system: 'phone' }],
        name: [
          { family: 'a', use: 'usual' },
          { family: 'b', use: 'official' },
        ],
        deceasedBoolean: false,
      });
      const response = await patch(
        user,
        id,
        operation('replace', 'Patient.gender', { value: { valueCode: 'female' } }),
        operation('add', 'Patient', { name: { valueString: 'birthDate' }, value: { valueDate: '1990-07-04' } }),
        operation('add', 'Patient', {
          name: { valueString: 'contact' },
          value: { part: [{ name: 'gender', valueCode: 'male' }] },
        }),
        operation('add', "Patient.name.where(use = 'official')", {
          name: { valueString: 'given' },
          value: { valueString: 'x' },
        }),
        operation('insert', 'Patient.name', { value: { valueHumanName: { family: 'c' } }, index: { valueInteger: 1 } }),
        operation('move', 'Patient.name', { source: { valueInteger: 0 }, destination: { valueInteger: 2 } }),
        operation('delete', 'Patient.active'),
        operation('delete', 'Patient.photo'),
        operation('delete', 'Patient.telecom[0]'),
        operation('replace', 'Patient.deceased', { value: { valueDateTime: '2020-01-01' } }),
      );
      expect([response.status, resourceOf(response)]).toEqual([
        200,
        expect.objectContaining({
          gender: 'female',
          birthDate: '1990-07-04',
          contact: [{ gender: 'male' }],
          deceasedDateTime: '2020-01-01',
          name: [{ family: 'c' }, { family: 'b', use: 'official', given: ['x'] }, { family: 'a', use: 'usual' }],
        }),
      ]);
      expect(resourceOf(response)).not.toHaveProperty('active');
      expect(resourceOf(response)).not.toHaveProperty('telecom');
      expect(resourceOf(response)).not.toHaveProperty('deceasedBoolean');
    });

    it.each([
      ['a path to nothing', operation('replace', 'Patient.birthDate', { value: { valueDate: '1990' } }), 422],
      ['a path to several', operation('delete', 'Patient.name'), 422],
      ['an unknown type', operation('twist', 'Patient.gender'), 400],
      ['other FHIRPath', operation('delete', 'Patient.name.select(given | family)'), 400],
      [
        'a path that does not exist',
        operation('move', 'Patient.name', { source: { valueInteger: 9 }, destination: { valueInteger: 0 } }),
        422,
      ],
      [
        'a member that no resource has',
        operation('add', 'Patient', {
          name: { valueString: 'contact' },
          value: { part: [{ name: '__proto__', part: [{ name: 'gender', valueCode: 'male' }] }] },
        }),
        400,
      ],
      ['a result that is not valid', operation('replace', 'Patient.gender', { value: { valueCode: 'x' } }), 422],
    ])('refuses %s', async (_what, parameter, status) => {
      const user = store.user();
      const { id } = await patient(user, { gender: 'male', name: [{ family: 'a' }, { family: 'b' }] });
      expect((await patch(user, id, parameter)).status).toBe(status);
    });
  });

  describe('conditional interactions', () => {
    const identified = (value: string, more: object = {}) => ({
      resourceType: 'Patient',
      identifier: [{ system: 'http://example.org', value }],
      ...more,
    });
    const query = 'identifier=http://example.org|';

    it('creates unless something matches; of many at once one does', async () => {
      const user = store.user();
      const post = (value: string) =>
        user.send('post', '/r4/Patient', identified(value)).set('If-None-Exist', `${query}${value}`);
      const statuses = (await Promise.all(Array.from({ length: 5 }, () => post('a')))).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([200, 200, 200, 200, 201]);
      expect((await user.bundle('/r4/Patient')).matches).toHaveLength(1);
      await user.send('post', '/r4/Patient', identified('a'));
      expect((await post('a')).status).toBe(412);
      expect((await user.send('post', '/r4/Patient', identified('b')).set('If-None-Exist', 'nonsense=1')).status).toBe(
        400,
      );
      const without = (criteria: string) =>
        user.send('post', '/r4/Patient', identified('b')).set('If-None-Exist', criteria);
      expect((await without('_count=1')).status).toBe(400);
      expect((await without('_format=json')).status).toBe(412);
    });

    it('creates again what was changed or deleted since', async () => {
      const user = store.user();
      const post = () => user.send('post', '/r4/Patient', identified('a')).set('If-None-Exist', `${query}a`);
      const first = resourceOf(await post());
      await user
        .send('put', `/r4/Patient/${first.id}`, { ...first, identifier: [] as never[], active: true } as never)
        .expect(422);
      await user.send('put', `/r4/Patient/${first.id}`, { resourceType: 'Patient', id: first.id as string });
      expect((await post()).status).toBe(201);
      expect((await user.bundle('/r4/Patient')).matches).toHaveLength(2);
    });

    it('updates what matches, or creates', async () => {
      const user = store.user();
      const put = (value: string, more: object = {}) =>
        user.send('put', `/r4/Patient?${query}${value}`, identified(value, more));
      expect((await put('a')).status).toBe(201);
      expect((await put('a', { gender: 'female' })).status).toBe(200);
      const [only, ...others] = (await user.bundle('/r4/Patient')).matches;
      expect([only?.['gender'], others]).toEqual(['female', []]);
      expect((await put('a', { id: nobody })).status).toBe(400);
      const chosen = randomUUID();
      expect((await put('b', { id: chosen })).status).toBe(201);
      expect((await user.get(`/r4/Patient/${chosen}`)).status).toBe(200);
      await user.create('r4', identified('a'));
      expect((await put('a')).status).toBe(412);
    });

    it('deletes and patches what matches', async () => {
      const user = store.user();
      for (const value of ['a', 'a', 'b']) await user.create('r4', identified(value));
      expect((await user.send('delete', '/r4/Patient')).status).toBe(412);
      expect((await user.send('delete', '/r4/Patient?nonsense=1')).status).toBe(400);
      const patch = (value: string) =>
        user
          .send('patch', `/r4/Patient?${query}${value}`)
          .set('Content-Type', 'application/json-patch+json')
          .send(stringifyJson([{ op: 'add', path: '/gender', value: 'other' }]));
      expect([(await patch('b')).status, (await patch('a')).status, (await patch('c')).status]).toEqual([
        200, 412, 404,
      ]);
      expect((await user.send('delete', `/r4/Patient?${query}a`)).status).toBe(200);
      expect((await user.bundle('/r4/Patient')).matches).toEqual([expect.objectContaining({ gender: 'other' })]);
    });
  });
});
