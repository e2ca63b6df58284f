import { releases } from '@tributary/fhir-definitions';
import type { JsonObject } from '@tributary/fhir-json';
import request from 'supertest';
import { FhirStoreUnderTest, baseUrl } from '../../fhir-store-under-test';
import { Bundle, resourceOf } from '../../record-over-http';
import { Exchange, identified, nobody, statusesOf } from './exchange';

const urn = (n: number): string => `urn:uuid:0190bbbb-0000-7000-8000-00000000000${n}`;
const post = (resource: JsonObject, more: JsonObject = {}, fullUrl?: string): JsonObject => ({
  ...(fullUrl ? { fullUrl } : {}),
  resource,
  request: { method: 'POST', url: String(resource['resourceType']), ...more },
});
const observation = (subject: string): JsonObject => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  subject: { reference: subject },
});

/** The R4 http page by the anchors of its sections: capabilities, batches, transactions, history, operations. */
describe.each(releases)('%s: http', (release) => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  const fresh = (): Exchange => new Exchange(store.user(), release);

  describe('#capabilities', () => {
    it('is public and lists the release, the types and their parameters', async () => {
      const response = await request(store.url).get(`/${release}/metadata`);
      const statement = response.body as {
        resourceType: string;
        fhirVersion: string;
        rest: { resource: { type: string; searchParam: { name: string }[] }[] }[];
      };
      expect([response.status, statement.resourceType, statement.fhirVersion.split('.')[0]]).toEqual([
        200,
        release === 'dstu2' ? 'Conformance' : 'CapabilityStatement',
        { dstu2: '1', stu3: '3', r4: '4' }[release],
      ]);
      const types = new Map(
        statement.rest[0]?.resource.map((each) => [each.type, each.searchParam.map(({ name }) => name)]),
      );
      expect(types.get('Patient')).toEqual(expect.arrayContaining(['birthdate', 'identifier', 'family']));
      expect(types.get('Observation')).toEqual(
        expect.arrayContaining(['code', 'date', 'patient', 'value-quantity', 'code-value-quantity']),
      );
    });

    it('lists operations by name, and the values of _revinclude', async () => {
      interface Operation {
        name: string;
      }
      const { rest } = (await request(store.url).get(`/${release}/metadata`)).body as {
        rest: {
          operation: Operation[];
          resource: { type: string; searchRevInclude: string[]; operation?: Operation[] }[];
        }[];
      };
      const patient = rest[0]?.resource.find(({ type }) => type === 'Patient');
      const observation = rest[0]?.resource.find(({ type }) => type === 'Observation');
      const names = new Set(
        [...(rest[0]?.operation ?? []), ...(patient?.operation ?? []), ...(observation?.operation ?? [])].map(
          ({ name }) => name,
        ),
      );
      expect([...names].toSorted()).toEqual([
        'counts',
        'everything',
        'lastn',
        'meta',
        'meta-add',
        'meta-delete',
        'validate',
      ]);
      expect(patient?.searchRevInclude).toEqual(
        expect.arrayContaining(['*', 'Observation:subject', 'Condition:patient']),
      );
      expect(patient?.searchRevInclude).not.toContain('Observation:encounter');
    });

    it('every parameter that is declared works', async () => {
      const { rest } = (await request(store.url).get(`/${release}/metadata`)).body as {
        rest: { resource: { type: string; searchParam: { name: string }[] }[] }[];
      };
      const exchange = fresh();
      const declared = (rest[0]?.resource ?? []).filter(({ type }) =>
        ['Patient', 'Observation', 'Encounter', 'MedicationStatement'].includes(type),
      );
      for (const { type, searchParam } of declared) {
        for (const { name } of searchParam.filter((each) => !each.name.startsWith('_'))) {
          const response = await exchange.get(`${type}?${name}:missing=true`).set('Prefer', 'handling=strict');
          expect([type, name, response.status]).toEqual([type, name, 200]);
        }
      }
    });
  });

  describe('#transaction', () => {
    it('a batch carries out each entry for itself', async () => {
      const exchange = fresh();
      const response = await exchange.bundle('batch', [
        post({ resourceType: 'Patient' }),
        post({ resourceType: 'Patient', gender: 'x' }),
        { request: { method: 'GET', url: `Patient/${nobody}` } },
        { request: { method: 'GET', url: 'Patient' } },
      ]);
      expect([response.status, resourceOf(response)['type'], statusesOf(response)]).toEqual([
        200,
        'batch-response',
        ['201', '422', '404', '200'],
      ]);
      expect(await exchange.count('Patient')).toBe(1);
    });

    it('a transaction writes all or nothing', async () => {
      const exchange = fresh();
      expect(
        (
          await exchange.bundle('transaction', [
            post({ resourceType: 'Patient' }),
            post({ resourceType: 'Patient', gender: 'x' }),
          ])
        ).status,
      ).toBe(422);
      expect(await exchange.count('Patient')).toBe(0);
      const response = await exchange.bundle('transaction', [
        post({ resourceType: 'Patient' }),
        post({ resourceType: 'Patient' }),
      ]);
      expect([response.status, resourceOf(response)['type'], statusesOf(response)]).toEqual([
        200,
        'transaction-response',
        ['201', '201'],
      ]);
      expect(await exchange.count('Patient')).toBe(2);
    });

    it('#trules: deletes, creates, updates, then reads, whatever their order', async () => {
      const exchange = fresh();
      const [kept, gone] = [
        await exchange.create({ resourceType: 'Patient' }),
        await exchange.create({ resourceType: 'Patient' }),
      ];
      const response = await exchange.bundle('transaction', [
        { request: { method: 'GET', url: 'Patient?_summary=count' } },
        {
          resource: { resourceType: 'Patient', id: kept.id, active: true },
          request: { method: 'PUT', url: `Patient/${kept.id}` },
        },
        post({ resourceType: 'Patient' }),
        { request: { method: 'DELETE', url: `Patient/${gone.id}` } },
      ]);
      expect(statusesOf(response)).toEqual(['200', '200', '201', '204']);
      expect(new Bundle(resourceOf(response)).entries[0]?.resource?.['total']).toBe(2);
    });

    it('#trules: references to entries become references to what was stored', async () => {
      const exchange = fresh();
      const response = await exchange.bundle('transaction', [
        post(observation(urn(1))),
        post({ resourceType: 'Patient', gender: 'male' }, {}, urn(1)),
      ]);
      const [, { id } = { id: '' }] = [0, (await exchange.user.bundle(exchange.path('Patient'))).matches[0]];
      expect([
        response.status,
        (await exchange.user.bundle(exchange.path('Observation'))).matches[0]?.['subject'],
      ]).toEqual([200, { reference: `Patient/${id}` }]);
    });

    it('#trules: conditional creates, updates, deletes and references', async () => {
      const exchange = fresh();
      const known = await exchange.create(identified('1'));
      await exchange.create(identified('2'));
      const response = await exchange.bundle('transaction', [
        post(identified('1'), { ifNoneExist: 'identifier=http://example.org/ids|1' }, urn(1)),
        post(observation(urn(1))),
        post(observation('Patient?identifier=http://example.org/ids|1')),
        { resource: identified('3'), request: { method: 'PUT', url: 'Patient?identifier=http://example.org/ids|3' } },
        { request: { method: 'DELETE', url: 'Patient?identifier=http://example.org/ids|2' } },
      ]);
      expect([response.status, statusesOf(response)]).toEqual([200, ['200', '201', '201', '201', '200']]);
      expect(await exchange.count(`Observation?subject=Patient/${known.id}`)).toBe(2);
      expect([await exchange.count('Patient?identifier=2'), await exchange.count('Patient?identifier=3')]).toEqual([
        0, 1,
      ]);
    });

    it('#trules: a conditional reference that matches nothing, or a resource that is written twice, fails', async () => {
      const exchange = fresh();
      const { id } = await exchange.create({ resourceType: 'Patient' });
      expect((await exchange.bundle('transaction', [post(observation('Patient?identifier=nothing'))])).status).toBe(
        412,
      );
      const put = { resource: { resourceType: 'Patient', id }, request: { method: 'PUT', url: `Patient/${id}` } };
      expect((await exchange.bundle('transaction', [put, put])).status).toBe(400);
    });

    it('an entry obeys ifMatch and ifNoneMatch', async () => {
      const exchange = fresh();
      const { id } = await exchange.create({ resourceType: 'Patient' });
      const put = (ifMatch: string): JsonObject => ({
        resource: { resourceType: 'Patient', id, active: true },
        request: { method: 'PUT', url: `Patient/${id}`, ifMatch },
      });
      expect((await exchange.bundle('transaction', [put('W/"9"')])).status).toBe(412);
      expect(
        statusesOf(
          await exchange.bundle('batch', [
            put('W/"9"'),
            { request: { method: 'GET', url: `Patient/${id}`, ifNoneMatch: 'W/"1"' } },
          ]),
        ),
      ).toEqual(['412', '304']);
      expect(statusesOf(await exchange.bundle('transaction', [put('W/"1"')]))).toEqual(['200']);
    });

    if (release === 'r4') {
      it.each(['batch', 'transaction'] as const)('#patch: a FHIRPath Patch as an entry of a %s', async (type) => {
        const exchange = fresh();
        const { id } = await exchange.create({ resourceType: 'Patient', active: true });
        const resource = {
          resourceType: 'Parameters',
          parameter: [
            {
              name: 'operation',
              part: [
                { name: 'type', valueCode: 'replace' },
                { name: 'path', valueString: 'Patient.active' },
                { name: 'value', valueBoolean: false },
              ],
            },
          ],
        };
        const response = await exchange.bundle(type, [
          { resource, request: { method: 'PATCH', url: `Patient/${id}` } },
        ]);
        expect([response.status, statusesOf(response)]).toEqual([200, ['200']]);
        expect(resourceOf(await exchange.get(`Patient/${id}`))).toMatchObject({
          active: false,
          meta: { versionId: '2' },
        });
      });
    }

    it('#transaction-response: location, etag and lastModified of what was written', async () => {
      const [entry] = new Bundle(resourceOf(await fresh().bundle('transaction', [post({ resourceType: 'Patient' })])))
        .entries;
      expect(entry?.['response']).toMatchObject({
        status: '201 Created',
        etag: 'W/"1"',
        location: expect.stringContaining('/_history/1'),
        lastModified: expect.any(String),
      });
    });

    it.each([
      ['another type', { resourceType: 'Bundle', type: 'searchset' }],
      ['no Bundle', { resourceType: 'Patient' }],
      [
        'an entry without request',
        { resourceType: 'Bundle', type: 'batch', entry: [{ resource: { resourceType: 'Patient' } }] },
      ],
    ])('refuses %s', async (_what, body) => {
      expect((await fresh().send('post', '', body)).status).toBe(400);
    });
  });

  describe('#history', () => {
    async function withHistory(): Promise<{ exchange: Exchange; id: string }> {
      const exchange = fresh();
      const { id } = await exchange.create({ resourceType: 'Patient' });
      await exchange.send('put', `Patient/${id}`, { resourceType: 'Patient', id, active: true });
      await exchange.send('delete', `Patient/${id}`);
      await exchange.create({ resourceType: 'Basic', code: { text: 'x' } });
      return { exchange, id };
    }

    it.each([
      ['Patient/{id}/_history', 3],
      ['Patient/_history', 3],
      ['_history', 4],
    ])('%s: newest first, with what was requested', async (address, length) => {
      const { exchange, id } = await withHistory();
      const page = await exchange.user.bundle(exchange.path(address.replace('{id}', id)));
      expect([page.resource['type'], page.total, page.entries.length]).toEqual(['history', length, length]);
      // Times of different resources may lie a few milliseconds ahead.
      const entries = page.entries.filter(({ fullUrl }) => fullUrl?.includes('/Patient/'));
      expect(entries.map((entry) => (entry['request'] as JsonObject)['method'])).toEqual(['DELETE', 'PUT', 'POST']);
      const [deletion] = entries;
      expect(deletion).toMatchObject({ request: { url: `Patient/${id}` } });
      expect(deletion).not.toHaveProperty('resource');
      expect(page.entries.every(({ fullUrl }) => fullUrl?.startsWith(`${baseUrl}/${release}/`))).toBe(true);
    });

    it('pages', async () => {
      const { exchange } = await withHistory();
      const seen: unknown[] = [];
      for (let next: string | undefined = exchange.path('_history?_count=1'); next !== undefined;) {
        const page: Bundle = await exchange.user.bundle(next);
        expect(page.entries).toHaveLength(1);
        seen.push(page.entries[0]?.['request']);
        next = page.link('next');
      }
      expect(seen).toHaveLength(4);
    });

    it('_since and _at', async () => {
      const { exchange, id } = await withHistory();
      const count = async (query: string): Promise<number> =>
        (await exchange.user.bundle(exchange.path(`Patient/${id}/_history?${query}`))).entries.length;
      const year = new Date().getUTCFullYear();
      expect([
        await count(`_since=${year - 1}`),
        await count(`_since=${year + 1}-12-31T23:59:59Z`),
        await count(`_at=${year}`),
        await count(`_at=${year - 2}`),
      ]).toEqual([3, 0, 3, 0]);
      expect((await exchange.get('_history?_since=x')).status).toBe(400);
    });

    it('404 for an id that never existed', async () => {
      expect((await fresh().get(`Patient/${nobody}/_history`)).status).toBe(404);
    });
  });

  describe('operations', () => {
    it('$validate reports issues and stores nothing', async () => {
      const exchange = fresh();
      const bad = await exchange.send('post', 'Patient/$validate', {
        resourceType: 'Parameters',
        parameter: [{ name: 'resource', resource: { resourceType: 'Patient', gender: 'x' } }],
      });
      const good = await exchange.send('post', 'Patient/$validate', { resourceType: 'Patient', gender: 'male' });
      const severities = [bad, good].map(
        (response) => (resourceOf(response)['issue'] as JsonObject[])[0]?.['severity'],
      );
      expect([bad.status, good.status, severities, await exchange.count('Patient')]).toEqual([
        200,
        200,
        ['error', 'information'],
        0,
      ]);
    });

    it('Patient/$everything returns the compartment and its references in pages', async () => {
      const exchange = fresh();
      const organization = await exchange.create({ resourceType: 'Organization', name: 'x' });
      const patient = await exchange.create({
        resourceType: 'Patient',
        managingOrganization: { reference: `Organization/${organization.id}` },
      });
      const ids = [organization.id, patient.id];
      for (let n = 0; n < 3; n++) ids.push((await exchange.create(observation(`Patient/${patient.id}`))).id);
      await exchange.create({ resourceType: 'Organization', name: 'y' });
      for (const count of [1, 2, 50])
        expect(
          (await exchange.user.all(exchange.path(`Patient/${patient.id}/$everything?_count=${count}`)))
            .map(({ id }) => id)
            .toSorted(),
        ).toEqual(ids.toSorted());
    });
  });
});
