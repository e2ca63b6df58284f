import { request as httpRequest } from 'node:http';
import type { JsonObject } from '@tributary/fhir-json';
import { FhirStoreUnderTest } from './testing/fhir-store-under-test';
import { type RecordOverHttp, resourceOf, textOf } from './testing/record-over-http';

describe('hostile input gets a 4xx or a right answer', () => {
  let store: FhirStoreUnderTest;
  let user: RecordOverHttp;
  let id: string;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
    user = store.user();
    ({ id } = await user.create('r4', { resourceType: 'Patient', name: [{ family: "O'Brien; DROP TABLE" }] }));
  });
  afterAll(() => store.stop());

  it.each([
    "name='; DROP TABLE fhir_store.resource; --",
    'name=%00',
    'name=%F0%9F%98%80',
    'name:contains=%25%5F%5C',
    'name=(((((((((((((a%2B)%2B)%2B)%2B)%2B)%2B',
    `_filter=${'('.repeat(3000)}`,
    `_filter=${'not '.repeat(500)}(name eq x)`,
    `name=${'a,'.repeat(5000)}`,
    `_id=${'x,'.repeat(5000)}`,
    `identifier=${Array.from({ length: 4000 }, (_, n) => `s%7C${n}`).join(',')}`,
    `birthdate=${'ge2000,'.repeat(2000)}`,
    'birthdate=ge99999999-99-99',
    'birthdate=2000-13-45',
    '_lastUpdated=gt1e400',
    `_sort=${'name,'.repeat(1000)}`,
    '_count=99999999999999999999',
    '_count=-1',
    '_count=1e9',
    `_elements=${'__proto__,constructor,'.repeat(100)}`,
    '_elements=__proto__.x',
    '__proto__=1&constructor=2&toString=3',
    `_has:${'Observation:patient:_has:'.repeat(50)}Observation:code=1`,
    `general-practitioner.${'organization.partof.'.repeat(50)}name=x`,
    '_include=Patient:*:*:*:*',
    '_page=../../etc/passwd',
    '_type=Patient&_type=__proto__',
    'near=1%7C2%7C3',
    '&&&===&=&;',
    '%',
    '_text=%22%22%22((',
    `_text=${'(a OR '.repeat(500)}`,
    '_list=../../x',
  ])('search %#', async (query) => {
    for (const type of ['Patient', 'Observation']) {
      const response = await user.get(`/r4/${type}?${query}`);
      expect([200, 400, 414, 431]).toContain(response.status);
    }
    const posted = await user.send('post', '/r4/Patient/_search').type('form').send(query);
    expect([200, 400]).toContain(posted.status);
  });

  it('finds what looks like SQL as what it is', async () => {
    expect((await user.bundle(`/r4/Patient?name=${encodeURIComponent("o'brien; drop")}`)).matches).toHaveLength(1);
  });

  it.each(["/r4/Patient/'", '/r4/Patient/%00', '/r4/Patient/..%2f..%2fx', '/r4/Patient/%2e%2e/%2e%2e', '/r4//Patient', '/r4/Patient//', '/r4/__proto__', '/r4/constructor', '/r4/Patient/__proto__/_history/constructor', '/r4/Patient/$__proto__', `/r4/${'x/'.repeat(2000)}`, `/r4/Patient/${'a'.repeat(10_000)}`, '/r4/Patient/%ZZ'])('address %s', async (address) => {
    for (const method of ['get', 'put', 'delete', 'patch', 'post'] as const) {
      const response = await user.send(method, address, method === 'get' || method === 'delete' ? undefined : '{"resourceType":"Patient"}');
      expect(response.status).toBeLessThan(500);
      expect(response.status).not.toBe(201);
    }
  });

  it.each([
    ['many elements', { resourceType: 'Patient', name: Array.from({ length: 50_000 }, () => ({ family: 'x' })) }],
    ['many faults', { resourceType: 'Patient', name: Array.from({ length: 50_000 }, () => 7) }],
    ['a long text', { resourceType: 'Patient', name: [{ family: 'x'.repeat(5_000_000) }] }],
    ['many contained resources', { resourceType: 'Patient', contained: Array.from({ length: 5000 }, (_, n) => ({ resourceType: 'Patient', id: `p${n}` })) }],
    ['nested extensions', { resourceType: 'Patient', extension: [nestedExtension(50)] }],
    ['odd Unicode', { resourceType: 'Patient', name: [{ family: '\ud800', given: ['\u202e\u2028\ufeff😀'] }] }],
    ['control characters', { resourceType: 'Patient', name: [{ family: 'a\u0000b\u001f' }] }],
    ['a prototype inside', JSON.parse('{"resourceType":"Patient","name":[{"constructor":{"prototype":{}}}]}')],
    ['numbers without end', '{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":1e999999}}'],
    ['a number of many digits', `{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.${'1'.repeat(100_000)}}}`],
  ] as [string, JsonObject | string][])('a resource with %s', async (_what, resource) => {
    const type = typeof resource === 'string' ? 'Observation' : 'Patient';
    const response = await user.send('post', `/r4/${type}`, resource);
    expect(response.status).toBeLessThan(500);
    if (response.status !== 201) return;
    const read = await user.get(`/r4/${type}/${resourceOf(response).id}`);
    expect(textOf(read)).toBe(textOf(response));
    await user.send('delete', `/r4/${type}/${resourceOf(response).id}`);
  });

  it('a body that is not UTF-8', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const outgoing = httpRequest(`${store.url}/r4/Patient`, { method: 'POST', headers: { Authorization: `Bearer ${user.token}`, 'Content-Type': 'application/json' } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      outgoing.on('error', reject);
      outgoing.end(Buffer.concat([Buffer.from('{"resourceType":"Patient","name":[{"family":"'), Buffer.of(0xff, 0xc0), Buffer.from('"}]}')]));
    });
    expect(status).toBe(400);
  });

  it('headers', async () => {
    for (const [name, value] of [['If-Match', 'W/"99999999999999999999"'], ['If-Match', 'x'.repeat(5000)], ['If-None-Match', ',,,"'], ['If-Modified-Since', 'yesterday'], ['Prefer', ';;;=,return'], ['Accept', ',;q=,*/*'], ['Accept', 'x'.repeat(8000)], ['X-Request-Id', 'a b\tc'], ['Authorization', `Bearer ${'x'.repeat(6000)}`]] as const) {
      expect((await user.get(`/r4/Patient/${id}`).set(name, value)).status).toBeLessThan(500);
    }
  });

  it('a gzip bomb', async () => {
    const { gzipSync } = await import('node:zlib');
    const response = await user.send('post', '/r4/Patient').set('Content-Type', 'application/fhir+json').set('Content-Encoding', 'gzip').serialize((body: unknown) => body as never).send(gzipSync(Buffer.alloc(200_000_000, 0x20)) as unknown as string);
    expect(response.status).toBe(413);
  });

  it('leaves the memory of the process bounded', () => {
    expect(process.memoryUsage().rss).toBeLessThan(2_000_000_000);
  });
});

function nestedExtension(depth: number): JsonObject {
  return depth === 0 ? { url: 'x', valueString: 'x' } : { url: 'x', extension: [nestedExtension(depth - 1)] };
}
