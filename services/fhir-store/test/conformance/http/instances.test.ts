import { randomUUID } from 'node:crypto';
import { releases } from '@tributary/fhir-definitions';
import type { JsonObject } from '@tributary/fhir-json';
import request from 'supertest';
import { FhirStoreUnderTest, baseUrl } from '../../fhir-store-under-test';
import { resourceOf, textOf } from '../../record-over-http';
import { Exchange, identified, nobody } from './exchange';

/** The R4 http page (https://hl7.org/fhir/R4/http.html) by the anchors of its sections: one resource at a time. */
describe.each(releases)('%s: http', (release) => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  const fresh = (): Exchange => new Exchange(store.user(), release);
  const native = release === 'dstu2' ? 'application/json+fhir' : 'application/fhir+json';

  describe('#mime-type and #parameters', () => {
    it.each(['application/fhir+json', 'application/json+fhir', 'application/json', '*/*', 'text/html, */*;q=0.1'])(
      'Accept: %s gets JSON',
      async (accept) => {
        const response = await fresh().get('Patient').set('Accept', accept);
        expect([response.status, response.headers['content-type']]).toEqual([
          200,
          expect.stringMatching(/^application\/(fhir\+json|json\+fhir|json); charset=utf-8$/),
        ]);
      },
    );

    it.each(['application/fhir+xml', 'text/xml', 'application/xml'])('Accept: %s is not acceptable', async (accept) => {
      expect((await fresh().get('Patient').set('Accept', accept)).status).toBe(406);
    });

    it.each(['json', 'application/json', 'application/fhir%2Bjson', 'application/fhir+json'])(
      '_format=%s goes before Accept',
      async (format) => {
        const response = await fresh().get(`Patient?_format=${format}`).set('Accept', 'application/fhir+xml');
        expect([response.status, response.headers['content-type']]).toEqual([200, `${native}; charset=utf-8`]);
      },
    );

    it.each(['xml', 'application/fhir%2Bxml', 'ttl'])('_format=%s is not acceptable', async (format) => {
      expect((await fresh().get(`Patient?_format=${format}`)).status).toBe(406);
    });

    it('_pretty and _format are no search criteria', async () => {
      const exchange = fresh();
      const response = await exchange.get('Patient?_format=json&_pretty=true').set('Prefer', 'handling=strict');
      expect(response.status).toBe(200);
    });

    it('an error has an OperationOutcome in the type of the release', async () => {
      const response = await fresh().get(`Patient/${nobody}`);
      expect([response.status, response.headers['content-type'], resourceOf(response).resourceType]).toEqual([
        404,
        `${native}; charset=utf-8`,
        'OperationOutcome',
      ]);
    });

    it.each([
      ['condition', 'no such resource type; similar: Condition'],
      ['conditions', 'no such resource type; similar: Condition'],
      ['Nonsense/1', 'no such resource type'],
    ])('%s is no resource type', async (address, text) => {
      const response = await fresh().get(address);
      expect([response.status, textOf(response)]).toEqual([404, expect.stringContaining(`${text}"`)]);
    });

    it('a body in XML is not supported', async () => {
      const response = await fresh()
        .send('post', 'Patient')
        .set('Content-Type', 'application/fhir+xml')
        .send('<Patient xmlns="http://hl7.org/fhir"/>');
      expect(response.status).toBe(415);
    });
  });

  describe('#general', () => {
    it('without a token 401 with a challenge', async () => {
      const response = await request(store.url).get(`/${release}/Patient`);
      expect([response.status, response.headers['www-authenticate']]).toEqual([401, expect.stringMatching(/^Bearer/)]);
    });

    it('HEAD has the response of GET without the body', async () => {
      const exchange = fresh();
      const { id } = await exchange.create({ resourceType: 'Patient' });
      for (const address of [`Patient/${id}`, 'Patient', `Patient/${id}/_history/1`, 'metadata']) {
        // The client of the tests asks for compression in GET only.
        const [head, get] = [
          await exchange.send('head', address),
          await exchange.get(address).set('Accept-Encoding', 'identity'),
        ];
        expect([address, head.status, head.headers['content-length'], head.headers['etag']]).toEqual([
          address,
          200,
          get.headers['content-length'],
          get.headers['etag'],
        ]);
      }
    });

    it.each([
      ['get', 'Nonsense', 404],
      ['get', 'Nonsense/1', 404],
      ['get', 'Patient/1/nonsense', 404],
      ['get', '$nonsense', 404],
      ['put', 'metadata', 405],
      ['delete', 'Patient/_search', 405],
      ['post', `Patient/${nobody}`, 405],
      ['post', `Patient/${nobody}/_history`, 405],
    ] as const)('%s %s: %i', async (method, address, expected) => {
      const response = await fresh().send(
        method,
        address,
        method === 'get' || method === 'delete' ? undefined : { resourceType: 'Patient' },
      );
      expect([response.status, response.headers['allow'] === undefined]).toEqual([expected, expected === 404]);
    });
  });

  describe('#create', () => {
    it('201 with Location, ETag, Last-Modified and the resource', async () => {
      const response = await fresh().send('post', 'Patient', { resourceType: 'Patient', gender: 'female' });
      const stored = resourceOf(response);
      expect([response.status, response.headers['location'], response.headers['etag']]).toEqual([
        201,
        `${baseUrl}/${release}/Patient/${stored.id}/_history/1`,
        'W/"1"',
      ]);
      expect(stored).toMatchObject({ gender: 'female', meta: { versionId: '1' } });
      expect(Math.floor(Date.parse(stored.meta?.lastUpdated ?? '') / 1000) * 1000).toBe(
        Date.parse(response.headers['last-modified'] ?? ''),
      );
    });

    it('ignores ids, versions and times of the client, and keeps the rest of meta', async () => {
      const stored = await fresh().create({
        resourceType: 'Patient',
        id: 'mine',
        meta: { versionId: '7', lastUpdated: '1999-01-01T00:00:00Z', tag: [{ code: 'x' }] },
      });
      expect(stored.id).not.toBe('mine');
      expect(stored.meta).toMatchObject({ versionId: '1', tag: [{ code: 'x' }] });
      expect(stored.meta?.lastUpdated).not.toMatch(/^1999/);
    });

    it.each([
      ['no JSON', '{"resourceType":"Patient"', 400],
      ['no resource', '[]', 400],
      ['nothing', '', 400],
      ['another type', '{"resourceType":"Observation","status":"final","code":{"text":"x"}}', 400],
      ['an unknown type', '{"resourceType":"Nonsense"}', 400],
      ['an unknown element', '{"resourceType":"Patient","nonsense":1}', 422],
      ['a wrong code', '{"resourceType":"Patient","gender":"x"}', 422],
      ['a wrong cardinality', '{"resourceType":"Patient","gender":["male"]}', 422],
    ])('refuses %s', async (_what, body, status) => {
      const response = await fresh().send('post', 'Patient', body);
      expect([response.status, resourceOf(response).resourceType]).toEqual([status, 'OperationOutcome']);
    });

    it('keeps decimals, order and Unicode as they were sent', async () => {
      const exchange = fresh();
      const { id } = resourceOf(
        await exchange.send(
          'post',
          'Observation',
          '{"resourceType":"Observation","status":"final","code":{"text":"Größe 😀"},"valueQuantity":{"value":1.0100}}',
        ),
      );
      expect(textOf(await exchange.get(`Observation/${id}`))).toContain(
        '"status":"final","code":{"text":"Größe 😀"},"valueQuantity":{"value":1.0100}}',
      );
    });
  });

  describe('#ccreate', () => {
    it.each([
      [0, 201],
      [1, 200],
      [2, 412],
    ])('%i matches: %i', async (matches, status) => {
      const exchange = fresh();
      for (let n = 0; n < matches; n++) await exchange.create(identified('1'));
      const response = await exchange
        .send('post', 'Patient', identified('1'))
        .set('If-None-Exist', 'identifier=http://example.org/ids|1');
      expect([response.status, await exchange.count('Patient')]).toEqual([status, Math.max(matches, 1)]);
    });
  });

  describe('#prefer', () => {
    it.each([
      ['return=minimal', ''],
      ['return=representation', 'Patient'],
      ['return=OperationOutcome', 'OperationOutcome'],
    ])('%s on create and update', async (prefer, type) => {
      const exchange = fresh();
      const created = await exchange.send('post', 'Patient', { resourceType: 'Patient' }).set('Prefer', prefer);
      const id = /Patient\/([^/]+)/.exec(created.headers['location'] ?? '')?.[1] ?? '';
      const updated = await exchange
        .send('put', `Patient/${id}`, { resourceType: 'Patient', id, active: true })
        .set('Prefer', prefer);
      for (const response of [created, updated]) {
        expect(response.headers['etag']).toBeDefined();
        expect(type === '' ? textOf(response) : resourceOf(response).resourceType).toBe(type);
      }
    });
  });

  describe('#read', () => {
    it('returns the current version with ETag and Last-Modified', async () => {
      const exchange = fresh();
      const { id } = await exchange.create({ resourceType: 'Patient' });
      const response = await exchange.get(`Patient/${id}`);
      expect([
        response.status,
        response.headers['etag'],
        response.headers['last-modified'],
        resourceOf(response).id,
      ]).toEqual([200, 'W/"1"', expect.any(String), id]);
    });

    it('404 for an id that never existed, 410 for a deleted resource', async () => {
      const exchange = fresh();
      const { id } = await exchange.create({ resourceType: 'Patient' });
      await exchange.send('delete', `Patient/${id}`);
      for (const [address, status] of [
        [`Patient/${nobody}`, 404],
        ['Patient/nothing', 404],
        [`Patient/${id}`, 410],
        [`Observation/${id}`, 404],
      ] as const)
        expect([address, (await exchange.get(address)).status]).toEqual([address, status]);
    });

    it("does not show another user's resource", async () => {
      const { id } = await fresh().create({ resourceType: 'Patient' });
      expect((await fresh().get(`Patient/${id}`)).status).toBe(404);
    });

    it.each([
      ['_summary=true', 'gender'],
      ['_elements=gender', 'gender'],
    ])('%s gives a part, marked as one', async (query, member) => {
      const exchange = fresh();
      const { id } = await exchange.create({ resourceType: 'Patient', gender: 'female', maritalStatus: { text: 'x' } });
      for (const address of [`Patient/${id}`, `Patient/${id}/_history/1`]) {
        const part = resourceOf(await exchange.get(`${address}?${query}`));
        expect(part).toHaveProperty(member);
        expect(part).not.toHaveProperty('maritalStatus');
        expect(part.meta?.['tag']).toEqual([expect.objectContaining({ code: 'SUBSETTED' })]);
      }
      expect((await exchange.get(`Patient/${id}?_summary=nonsense`)).status).toBe(400);
    });
  });

  describe('#cread', () => {
    const day = 86_400_000;
    it.each([
      ['If-None-Match', 'W/"1"', 304],
      ['If-None-Match', '"1"', 304],
      ['If-None-Match', 'W/"7", W/"1"', 304],
      ['If-None-Match', '*', 304],
      ['If-None-Match', 'W/"2"', 200],
      ['If-Modified-Since', new Date(Date.now() + day).toUTCString(), 304],
      ['If-Modified-Since', new Date(Date.now() - day).toUTCString(), 200],
      ['If-Modified-Since', 'yesterday', 200],
    ])('%s: %s answers %i', async (name, value, status) => {
      const exchange = fresh();
      const { id } = await exchange.create({ resourceType: 'Patient' });
      const response = await exchange.get(`Patient/${id}`).set(name, value);
      expect([response.status, textOf(response) === '', response.headers['etag']]).toEqual([
        status,
        status === 304,
        'W/"1"',
      ]);
    });
  });

  it('#vread: every version, also after the deletion; 410 for the deletion, 404 for none', async () => {
    const exchange = fresh();
    const { id } = await exchange.create({ resourceType: 'Patient', gender: 'male' });
    await exchange.send('put', `Patient/${id}`, { resourceType: 'Patient', id, gender: 'female' });
    await exchange.send('delete', `Patient/${id}`);
    const versions = await Promise.all(
      [1, 2, 3, 4].map((version) => exchange.get(`Patient/${id}/_history/${version}`)),
    );
    expect(versions.map(({ status }) => status)).toEqual([200, 200, 410, 404]);
    expect(versions.slice(0, 2).map((version) => [version.headers['etag'], resourceOf(version)['gender']])).toEqual([
      ['W/"1"', 'male'],
      ['W/"2"', 'female'],
    ]);
  });

  describe('#update', () => {
    it('200 with the next version', async () => {
      const exchange = fresh();
      const { id } = await exchange.create({ resourceType: 'Patient' });
      const response = await exchange.send('put', `Patient/${id}`, { resourceType: 'Patient', id, active: true });
      expect([
        response.status,
        response.headers['etag'],
        response.headers['location'],
        resourceOf(response).meta?.versionId,
      ]).toEqual([200, 'W/"2"', `${baseUrl}/${release}/Patient/${id}/_history/2`, '2']);
    });

    it.each([
      ['without an id', {}, 400],
      ['with another id', { id: 'another' }, 400],
      ['of another type', { resourceType: 'Basic' }, 400],
      ['that is not valid', { gender: 'x' }, 422],
    ] as [string, JsonObject, number][])('refuses a resource %s', async (what, more, status) => {
      const exchange = fresh();
      const { id } = await exchange.create({ resourceType: 'Patient' });
      const body = { resourceType: 'Patient', ...(what === 'without an id' ? {} : { id }), ...more };
      expect((await exchange.send('put', `Patient/${id}`, body)).status).toBe(status);
      expect((await exchange.get(`Patient/${id}`)).headers['etag']).toBe('W/"1"');
    });

    it('#upsert: creates under an id that the client chose', async () => {
      const exchange = fresh();
      const chosen = randomUUID();
      const response = await exchange.send('put', `Patient/${chosen}`, { resourceType: 'Patient', id: chosen });
      expect([response.status, response.headers['location']]).toEqual([
        201,
        `${baseUrl}/${release}/Patient/${chosen}/_history/1`,
      ]);
      expect((await exchange.send('put', 'Patient/mine', { resourceType: 'Patient', id: 'mine' })).status).toBe(405);
    });

    it.each([
      ['W/"1"', 200],
      ['"1"', 200],
      ['*', 200],
      ['W/"2"', 412],
      ['W/"0"', 412],
      ['nonsense', 412],
    ])('#concurrency: If-Match: %s answers %i', async (tag, status) => {
      const exchange = fresh();
      const { id } = await exchange.create({ resourceType: 'Patient' });
      expect(
        (
          await exchange
            .send('put', `Patient/${id}`, { resourceType: 'Patient', id, active: true })
            .set('If-Match', tag)
        ).status,
      ).toBe(status);
    });

    it('#concurrency: one of several concurrent writers succeeds', async () => {
      const exchange = fresh();
      const { id } = await exchange.create({ resourceType: 'Patient' });
      const answers = await Promise.all(
        Array.from({ length: 5 }, () =>
          exchange.send('put', `Patient/${id}`, { resourceType: 'Patient', id, active: true }).set('If-Match', 'W/"1"'),
        ),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412, 412]);
    });
  });

  describe('#cond-update', () => {
    it.each([
      [0, 201],
      [1, 200],
      [2, 412],
    ])('%i matches: %i', async (matches, status) => {
      const exchange = fresh();
      for (let n = 0; n < matches; n++) await exchange.create(identified('1'));
      const response = await exchange.send(
        'put',
        'Patient?identifier=http://example.org/ids|1',
        identified('1', { active: true }),
      );
      expect([response.status, await exchange.count('Patient')]).toEqual([status, Math.max(matches, 1)]);
    });

    it('refuses criteria that select nothing or are not known', async () => {
      const exchange = fresh();
      for (const [query, status] of [
        ['', 412],
        ['?nonsense=1', 400],
        ['?birthdate=x', 400],
      ] as const)
        expect((await exchange.send('put', `Patient${query}`, identified('1'))).status).toBe(status);
    });
  });

  describe('#patch', () => {
    it('JSON Patch', async () => {
      const exchange = fresh();
      const { id } = await exchange.create({ resourceType: 'Patient', gender: 'male' });
      const response = await exchange.jsonPatch(`Patient/${id}`, [
        { op: 'test', path: '/gender', value: 'male' },
        { op: 'replace', path: '/gender', value: 'female' },
      ]);
      expect([response.status, response.headers['etag'], resourceOf(response)['gender']]).toEqual([
        200,
        'W/"2"',
        'female',
      ]);
    });

    it.each([
      ['a failing test', [{ op: 'test', path: '/gender', value: 'x' }], 422],
      ['an invalid result', [{ op: 'replace', path: '/gender', value: 'x' }], 422],
      ['no patch', [{ op: 'nonsense' }], 400],
    ])('refuses %s', async (_what, operations, status) => {
      const exchange = fresh();
      const { id } = await exchange.create({ resourceType: 'Patient', gender: 'male' });
      expect((await exchange.jsonPatch(`Patient/${id}`, operations)).status).toBe(status);
    });

    it('obeys If-Match, conditions and the media type', async () => {
      const exchange = fresh();
      const { id } = await exchange.create(identified('1'));
      const operations = [{ op: 'add', path: '/active', value: true }];
      expect((await exchange.jsonPatch(`Patient/${id}`, operations).set('If-Match', 'W/"9"')).status).toBe(412);
      expect((await exchange.jsonPatch('Patient?identifier=1', operations)).status).toBe(200);
      expect((await exchange.jsonPatch('Patient?identifier=2', operations)).status).toBe(404);
      expect((await exchange.send('patch', `Patient/${id}`).set('Content-Type', 'text/plain').send('x')).status).toBe(
        415,
      );
      expect((await exchange.jsonPatch(`Patient/${nobody}`, operations)).status).toBe(404);
    });
  });

  describe('#delete', () => {
    it('204, also when repeated; searches do not find it; an update restores it', async () => {
      const exchange = fresh();
      const { id } = await exchange.create({ resourceType: 'Patient' });
      for (let n = 0; n < 2; n++) expect([200, 204]).toContain((await exchange.send('delete', `Patient/${id}`)).status);
      expect(await exchange.count('Patient')).toBe(0);
      const back = await exchange.send('put', `Patient/${id}`, { resourceType: 'Patient', id });
      expect([back.status, back.headers['etag']]).toEqual([201, 'W/"3"']);
      expect(await exchange.count('Patient')).toBe(1);
    });

    it('conditionally, and not without criteria', async () => {
      const exchange = fresh();
      for (const value of ['1', '1', '2']) await exchange.create(identified(value));
      expect((await exchange.send('delete', 'Patient')).status).toBe(412);
      expect((await exchange.send('delete', 'Patient?identifier=1')).status).toBe(200);
      expect((await exchange.send('delete', 'Patient?identifier=nothing')).status).toBe(200);
      expect(await exchange.count('Patient')).toBe(1);
    });
  });
});
