import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib';
import { type JsonObject, stringifyJson } from '@tributary/fhir-json';
import type { Response, Test } from 'supertest';
import { FhirStoreUnderTest } from '../test/fhir-store-under-test';
import { maxResourceBytes } from './fhir-http/limits';
import { Bundle, type RecordOverHttp, resourceOf, textOf } from '../test/record-over-http';

/** Compressed, it is less than a hundredth of what it expands to. */
const bomb = Buffer.alloc(2 * maxResourceBytes, 0x20);

describe('hostile input gets a 4xx or a correct response', () => {
  let store: FhirStoreUnderTest;
  let user: RecordOverHttp;
  let id: string;
  beforeAll(async () => {
    // A hundredth of the real limit.
    store = await FhirStoreUnderTest.start({ contentLimits: { bundleBytes: 640_000 } });
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

  it('searches for text in the form of SQL as plain text', async () => {
    expect((await user.bundle(`/r4/Patient?name=${encodeURIComponent("o'brien; drop")}`)).matches).toHaveLength(1);
  });

  it.each([
    "/r4/Patient/'",
    '/r4/Patient/%00',
    '/r4/Patient/..%2f..%2fx',
    '/r4/Patient/%2e%2e/%2e%2e',
    '/r4//Patient',
    '/r4/Patient//',
    '/r4/__proto__',
    '/r4/constructor',
    '/r4/Patient/__proto__/_history/constructor',
    '/r4/Patient/$__proto__',
    `/r4/${'x/'.repeat(2000)}`,
    `/r4/Patient/${'a'.repeat(10_000)}`,
    '/r4/Patient/%ZZ',
  ])('address %s', async (address) => {
    for (const method of ['get', 'put', 'delete', 'patch', 'post'] as const) {
      const response = await user.send(
        method,
        address,
        method === 'get' || method === 'delete' ? undefined : '{"resourceType":"Patient"}',
      );
      expect(response.status).toBeLessThan(500);
      expect(response.status).not.toBe(201);
    }
  });

  it.each([
    ['many elements', { resourceType: 'Patient', name: Array.from({ length: 50_000 }, () => ({ family: 'x' })) }],
    ['many faults', { resourceType: 'Patient', name: Array.from({ length: 50_000 }, () => 7) }],
    ['a long text', { resourceType: 'Patient', name: [{ family: 'x'.repeat(5_000_000) }] }],
    [
      'many contained resources',
      {
        resourceType: 'Patient',
        contained: Array.from({ length: 5000 }, (_, n) => ({ resourceType: 'Patient', id: `p${n}` })),
      },
    ],
    ['nested extensions', { resourceType: 'Patient', extension: [nestedExtension(50)] }],
    ['odd Unicode', { resourceType: 'Patient', name: [{ family: '\ud800', given: ['\u202e\u2028\ufeff😀'] }] }],
    ['control characters', { resourceType: 'Patient', name: [{ family: 'a\u0000b\u001f' }] }],
    ['a prototype inside', JSON.parse('{"resourceType":"Patient","name":[{"constructor":{"prototype":{}}}]}')],
    [
      'numbers without end',
      '{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":1e999999}}',
    ],
    [
      'a number of many digits',
      `{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.${'1'.repeat(100_000)}}}`,
    ],
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
      const outgoing = httpRequest(
        `${store.url}/r4/Patient`,
        { method: 'POST', headers: { Authorization: `Bearer ${user.token}`, 'Content-Type': 'application/json' } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(
        Buffer.concat([
          Buffer.from('{"resourceType":"Patient","name":[{"family":"'),
          Buffer.of(0xff, 0xc0),
          Buffer.from('"}]}'),
        ]),
      );
    });
    expect(status).toBe(400);
  });

  it('headers', async () => {
    for (const [name, value] of [
      ['If-Match', 'W/"99999999999999999999"'],
      ['If-Match', 'x'.repeat(5000)],
      ['If-None-Match', ',,,"'],
      ['If-Modified-Since', 'yesterday'],
      ['Prefer', ';;;=,return'],
      ['Accept', ',;q=,*/*'],
      ['Accept', 'x'.repeat(8000)],
      ['X-Request-Id', 'a b\tc'],
      ['Authorization', `Bearer ${'x'.repeat(6000)}`],
    ] as const) {
      expect((await user.get(`/r4/Patient/${id}`).set(name, value)).status).toBeLessThan(500);
    }
  });

  describe('amplification is refused as too costly', () => {
    const issueOf = (response: Response): [number, unknown] => [
      response.status,
      (resourceOf(response)['issue'] as JsonObject[])[0]?.['code'],
    ];
    const patch = (operations: JsonObject[]): Test =>
      user
        .send('patch', `/r4/Patient/${id}`, stringifyJson(operations))
        .set('Content-Type', 'application/json-patch+json');
    const deep = (depth: number): JsonObject => (depth === 0 ? {} : { x: deep(depth - 1) });

    it.each([
      ['doubles the resource', Array.from({ length: 60 }, (_, n) => ({ op: 'copy', from: '', path: `/x${n}` }))],
      ['doubles a list', Array.from({ length: 60 }, () => ({ op: 'copy', from: '/name', path: '/name/-' }))],
      [
        'nests the resource in itself',
        Array.from({ length: 12 }, (_, n) => ({ op: 'copy', from: '', path: '/x'.repeat(2 ** n) })),
      ],
      [
        'builds a deep tree',
        Array.from({ length: 60 }, (_, n) => ({ op: 'add', path: `/x${'/x'.repeat(20 * n)}`, value: deep(20) })),
      ],
      [
        'moves a tree to a deep position',
        [
          { op: 'add', path: '/a', value: deep(100) },
          { op: 'add', path: '/b', value: deep(100) },
          { op: 'move', from: '/a', path: `/b${'/x'.repeat(100)}/y` },
        ],
      ],
      [
        'has many operations',
        Array.from({ length: 2000 }, () => ({ op: 'test', path: '/resourceType', value: 'Patient' })),
      ],
      ['has a long pointer', [{ op: 'remove', path: '/x'.repeat(1_000_000) }]],
    ] as [string, JsonObject[]][])('a JSON Patch that %s', async (_what, operations) => {
      expect(issueOf(await patch(operations))).toEqual([400, 'too-costly']);
    });

    it('a FHIRPath Patch with unlimited nesting', async () => {
      const part = (name: string, valueString: string): JsonObject => ({ name, valueString });
      const add = (n: number): JsonObject => ({
        name: 'operation',
        part: [
          { name: 'type', valueCode: 'add' },
          part('path', `Patient${'.extension[0]'.repeat(n)}`),
          part('name', 'extension'),
          { name: 'value', part: [{ name: 'url', valueUri: 'x' }] },
        ],
      });
      const operations = (count: number): JsonObject => ({
        resourceType: 'Parameters',
        parameter: Array.from({ length: count }, (_, n) => add(n)),
      });
      expect(issueOf(await user.send('patch', `/r4/Patient/${id}`, operations(140)))).toEqual([400, 'too-costly']);
      expect(issueOf(await user.send('patch', `/r4/Patient/${id}`, operations(1001)))).toEqual([400, 'too-costly']);
    });

    it.each([
      [
        'of too many entries',
        'batch',
        Array.from({ length: 10_001 }, () => ({ request: { method: 'DELETE', url: 'Patient/x' } })),
      ],
      [
        'of too many searches',
        'batch',
        Array.from({ length: 1001 }, () => ({ request: { method: 'GET', url: 'Patient?_count=1000' } })),
      ],
      [
        'of too many searches in a transaction',
        'transaction',
        Array.from({ length: 1001 }, () => ({ request: { method: 'GET', url: 'Patient?_count=1000' } })),
      ],
      [
        'of too many conditional references',
        'transaction',
        Array.from({ length: 1001 }, (_, n) => ({
          resource: { resourceType: 'Basic', code: { text: 'x' }, subject: { reference: `Patient?identifier=${n}` } },
          request: { method: 'POST', url: 'Basic' },
        })),
      ],
    ] as [string, string, JsonObject[]][])('a Bundle %s', async (_what, type, entry) => {
      expect(issueOf(await user.send('post', '/r4', { resourceType: 'Bundle', type, entry }))).toEqual([
        400,
        'too-costly',
      ]);
    });

    it('a batch whose responses together exceed the size limit', async () => {
      const { id: large } = await user.create('r4', {
        resourceType: 'Binary',
        contentType: 'text/plain',
        data: 'QUJD'.repeat(25_000),
      });
      const entry = Array.from({ length: 20 }, () => ({ request: { method: 'GET', url: `Binary/${large}` } }));
      const answer = new Bundle(
        resourceOf(await user.send('post', '/r4', { resourceType: 'Bundle', type: 'batch', entry })),
      );
      const statuses = answer.entries.map(({ response }) => (response as JsonObject)['status']);
      expect([
        statuses.filter((status) => status === '200 OK').length,
        statuses.filter((status) => status === '400 Bad Request').length,
      ]).toEqual([6, 14]);
      await user.send('delete', `/r4/Binary/${large}`);
    });

    it('a patch after which the resource exceeds the size limit', async () => {
      const names = (letter: string): JsonObject[] =>
        Array.from({ length: 12 }, () => ({ family: letter.repeat(1_000_000) }));
      const { id: grown } = await user.create('r4', { resourceType: 'Patient', name: names('x') });
      const operations = names('y').map((value) => ({ op: 'add', path: '/name/-', value }));
      const response = await user
        .send('patch', `/r4/Patient/${grown}`, stringifyJson(operations))
        .set('Content-Type', 'application/json-patch+json');
      expect(issueOf(response)).toEqual([400, 'too-costly']);
      await user.send('delete', `/r4/Patient/${grown}`);
    });

    it.each([
      Array.from({ length: 201 }, () => 'name=x').join('&'),
      `_id=${'x,'.repeat(10_000)}`,
      `birthdate=${Array.from({ length: 2100 }, (_, n) => `ge${1000 + n}`).join(',')}`,
      `_filter=${Array.from({ length: 201 }, () => 'name eq x').join(' or ')}`,
      `_filter=${'x'.repeat(20_001)}`,
      `_sort=${'name,'.repeat(20)}name`,
      Array.from({ length: 51 }, () => '_include=Patient:organization').join('&'),
      Array.from({ length: 21 }, () => 'organization.name=x').join('&'),
      `organization.${'partof.'.repeat(9)}name=x`,
      `_has:${'Patient:link:_has:'.repeat(9)}Patient:link:name=x`,
    ])('search %#', async (query) => {
      expect(issueOf(await user.send('post', '/r4/Patient/_search').type('form').send(query))).toEqual([
        400,
        'too-costly',
      ]);
    });

    it('an _include:iterate of many rounds', async () => {
      const location = (partOf: string | undefined): Promise<{ id: string }> =>
        user.create('r4', {
          resourceType: 'Location',
          ...(partOf === undefined ? {} : { partOf: { reference: `Location/${partOf}` } }),
        });
      let last: string | undefined;
      for (let n = 0; n < 15; n++) last = (await location(last)).id;
      expect(issueOf(await user.get(`/r4/Location?_id=${last}&_include:iterate=Location:partof`))).toEqual([
        400,
        'too-costly',
      ]);
    });
  });

  it.each(['post', 'put', 'patch'])('a %s that announces too large a body, at once', async (method) => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = httpRequest(`${store.url}/r4/Patient${method === 'post' ? '' : `/${id}`}`, {
        method,
        headers: {
          authorization: `Bearer ${user.token}`,
          'content-type': method === 'patch' ? 'application/json-patch+json' : 'application/fhir+json',
          'content-length': 50_000_000,
        },
      });
      sent.once('response', resolve).once('error', reject);
      sent.write('{');
    });
    expect(response.statusCode).toBe(413);
    response.destroy();
  });

  it.each([
    ['Content-Length: 22020096', '', ''],
    ['Transfer-Encoding: chunked', '100000\r\n', '\r\n'],
  ])('a body above 20 MB (%s), also to a client that reads after it has sent all', async (framing, before, after) => {
    const { hostname, port } = new URL(store.url);
    const client = connect(Number(port), hostname);
    const head = `POST /r4/Patient HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${user.token}\r\nContent-Type: application/fhir+json\r\n`;
    const piece = before + ' '.repeat(1024 * 1024) + after;
    for (const text of [`${head}${framing}\r\n\r\n`, ...Array<string>(21).fill(piece), before && '0\r\n\r\n'])
      await new Promise<void>((resolve, reject) => client.write(text, (error) => (error ? reject(error) : resolve())));
    const [response] = (await once(client, 'data')) as [Buffer];
    expect(response.toString()).toMatch(/^HTTP\/1\.1 413 /);
    client.destroy();
  });

  it.each([
    ['gzip', 413, gzipSync(bomb)],
    ['br', 413, brotliCompressSync(bomb, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
    ['deflate', 413, deflateSync(bomb)],
    ['gzip, gzip', 415, gzipSync(gzipSync(bomb))],
  ])('a body that %s expands gets %i', async (encoding, status, compressed) => {
    expect(compressed.length).toBeLessThan(bomb.length / 100);
    const response = await user
      .send('post', '/r4/Patient')
      .set('Content-Type', 'application/fhir+json')
      .set('Content-Encoding', encoding)
      .serialize((body: unknown) => body as never)
      .send(compressed as unknown as string);
    expect(response.status).toBe(status);
  });
});

function nestedExtension(depth: number): JsonObject {
  return depth === 0 ? { url: 'x', valueString: 'x' } : { url: 'x', extension: [nestedExtension(depth - 1)] };
}
