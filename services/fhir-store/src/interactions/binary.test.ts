import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Release } from '@tributary/fhir-definitions';
import type { JsonObject, Resource } from '@tributary/fhir-json';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import type { RecordOverHttp } from '../../test/record-over-http';

const member: Record<Release, string> = { dstu2: 'content', stu3: 'content', r4: 'data' };
const releases = Object.keys(member) as Release[];
const html = Buffer.from('<script>alert(1)</script>');

let store: FhirStoreUnderTest;
let user: RecordOverHttp;
beforeAll(async () => {
  store = await FhirStoreUnderTest.start();
  user = store.user();
});
afterAll(() => store.stop());

/** `fetch`, which sends Accept: *\/* unless told otherwise. */
const call = (
  address: string,
  { headers = {}, ...init }: RequestInit & { headers?: Record<string, string> } = {},
  token = user.token,
): Promise<Response> =>
  fetch(`${store.url}${address}`, { ...init, headers: { Authorization: `Bearer ${token}`, ...headers } });
const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());
const stored = async (content: Buffer, contentType: string, release: Release = 'r4'): Promise<string> => {
  const resource = { resourceType: 'Binary', contentType, [member[release]]: content.toString('base64') };
  return `/${release}/Binary/${(await user.create(release, resource)).id}`;
};
const fhirJson = { Accept: 'application/fhir+json' };

describe.each(releases)('%s: a Binary in its own media type', (release) => {
  it('is sent as it is unless FHIR JSON is requested', async () => {
    const content = randomBytes(100_003);
    const address = await stored(content, 'application/pdf', release);
    for (const accept of ['*/*', 'application/pdf', 'text/html,application/xml;q=0.9,*/*;q=0.8']) {
      const response = await call(address, { headers: { Accept: accept } });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
      expect((await bytesOf(response)).equals(content)).toBe(true);
    }
    for (const accept of ['application/fhir+json', 'application/json', 'application/fhir+json, */*; q=0.1']) {
      const response = await call(address, { headers: { Accept: accept } });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({
        resourceType: 'Binary',
        [member[release]]: content.toString('base64'),
      });
    }
    expect(((await (await call(`${address}?_format=json`)).json()) as Resource).resourceType).toBe('Binary');
    expect((await call(`${address}?_format=application/pdf`)).headers.get('content-type')).toBe('application/pdf');
    expect((await call(`/${release}/Binary`, { headers: { Accept: 'application/pdf' } })).status).toBe(406);
  });

  it('is created and updated with its content', async () => {
    const content = randomBytes(70_001);
    const created = await call(`/${release}/Binary`, {
      method: 'POST',
      body: content,
      headers: { 'Content-Type': 'image/png' },
    });
    const resource = (await created.json()) as Resource;
    expect([created.status, resource]).toMatchObject([
      201,
      { resourceType: 'Binary', contentType: 'image/png', [member[release]]: content.toString('base64') },
    ]);
    const address = `/${release}/Binary/${resource.id}`;
    const put = (version: number): Promise<Response> =>
      call(address, {
        method: 'PUT',
        body: html,
        headers: { 'Content-Type': 'text/html; charset=utf-8', 'If-Match': `W/"${version}"`, Prefer: 'return=minimal' },
      });
    expect((await put(7)).status).toBe(412);
    expect([(await put(1)).status, (await put(1)).status]).toEqual([200, 412]);
    const read = await call(address);
    expect([read.headers.get('content-type'), read.headers.get('etag')]).toEqual(['text/html; charset=utf-8', 'W/"2"']);
    expect((await bytesOf(read)).equals(html)).toBe(true);
    expect((await bytesOf(await call(`${address}/_history/1`))).equals(content)).toBe(true);
    expect(await (await call(address, { headers: fhirJson })).json()).toMatchObject({
      contentType: 'text/html; charset=utf-8',
      meta: { versionId: '2' },
    });
  });
});

describe.each(releases)('%s: a 406 says what a Binary is available as', (release) => {
  const fhirMedia = release === 'dstu2' ? 'application/json+fhir' : 'application/fhir+json';
  const noJson = 'this service supports FHIR in JSON only';

  it.each([
    ['application/pdf', 'image/png', noJson, 'application/pdf'],
    ['Text/HTML; charset="secret"', 'application/fhir+xml', noJson, 'text/html'],
    ['no media type', 'image/*', noJson, 'application/octet-stream'],
    ['image/png', 'application/fhir+json; fhirVersion=5.0', 'fhirVersion=5.0 is not available', 'image/png'],
  ])('%s, requested as %s', async (contentType, accept, reason, available) => {
    const address = await stored(html, contentType, release);
    for (const each of [address, `${address}/_history/1`]) {
      const refused = await call(each, { headers: { Accept: accept } });
      const { issue } = (await refused.json()) as { issue: [{ diagnostics: string }] };
      expect([refused.status, issue[0].diagnostics]).toEqual([
        406,
        expect.stringMatching(
          `^${reason}.*; this Binary is available as ${available} and ${fhirMedia.replace('+', '.')}$`,
        ),
      ]);
    }
  });
});

it('is a file for browsers, which they neither run nor take for another media type', async () => {
  const { headers } = await call(await stored(html, 'text/html'));
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="Binary-[0-9a-f-]{36}\.html"$/);
  expect(headers.get('content-security-policy')).toMatch(/^sandbox;/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toBe('no-store');
});

it('has an ETag, and is not sent again to a client that has it', async () => {
  const address = await stored(html, 'text/html');
  const { headers } = await call(address);
  expect([headers.get('etag'), headers.get('last-modified')]).toEqual(['W/"1"', expect.stringMatching(/GMT$/)]);
  const again = await call(address, { headers: { 'If-None-Match': 'W/"1"' } });
  expect([again.status, (await bytesOf(again)).length]).toEqual([304, 0]);
  const head = await call(address, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length'), (await bytesOf(head)).length]).toEqual([
    200,
    String(html.length),
    0,
  ]);
});

it('is sent in parts', async () => {
  const content = randomBytes(200_000);
  const address = await stored(content, 'application/pdf');
  const part = await call(address, { headers: { Range: 'bytes=49000-120000' } });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 49000-120000/200000']);
  expect((await bytesOf(part)).equals(content.subarray(49_000, 120_001))).toBe(true);
});

it('takes JSON that is no Binary as content, and a Binary as the resource', async () => {
  const post = async (body: string, contentType: string): Promise<[number, JsonObject]> => {
    const response = await call('/r4/Binary', { method: 'POST', body, headers: { 'Content-Type': contentType } });
    return [response.status, (await response.json()) as JsonObject];
  };
  const patient = '{ "resourceType": "Patient" }';
  expect(await post(patient, 'application/fhir+json')).toMatchObject([
    201,
    { contentType: 'application/fhir+json', data: Buffer.from(patient).toString('base64') },
  ]);
  expect(await post('[1, 2]', 'application/json')).toMatchObject([201, { contentType: 'application/json' }]);
  const binary = '{"resourceType":"Binary","contentType":"text/plain","data":"eA=="}';
  expect(await post(binary, 'application/json')).toMatchObject([201, { contentType: 'text/plain', data: 'eA==' }]);
  expect(await post('{"resourceType":"Binary"}', 'application/json')).toMatchObject([422, {}]);
  expect(await post('{"resourceType":', 'application/json')).toMatchObject([400, {}]);
  expect(await post('', 'text/plain')).toMatchObject([400, {}]);
});

it('decompresses content', async () => {
  const response = await call('/r4/Binary', {
    method: 'POST',
    body: gzipSync(html),
    headers: { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' },
  });
  expect(await response.json()).toMatchObject({ data: html.toString('base64') });
});

it('takes the security context from its header, and sends it there', async () => {
  const post = (release: Release): Promise<Response> =>
    call(`/${release}/Binary`, {
      method: 'POST',
      body: 'x',
      headers: { 'Content-Type': 'text/plain', 'X-Security-Context': 'Patient/1' },
    });
  const created = (await (await post('r4')).json()) as Resource;
  expect(created).toMatchObject({ securityContext: { reference: 'Patient/1' } });
  expect((await call(`/r4/Binary/${created.id}`)).headers.get('x-security-context')).toBe('Patient/1');
  expect([(await post('stu3')).status, (await post('dstu2')).status]).toEqual([201, 400]);
});

it('is created once with If-None-Exist, and updated under criteria', async () => {
  const type = `text/x-${randomBytes(4).toString('hex')}`;
  const criteria = `contenttype=${encodeURIComponent(type)}`;
  const headers = { 'Content-Type': type };
  const create = (): Promise<Response> =>
    call('/stu3/Binary', { method: 'POST', body: 'a', headers: { ...headers, 'If-None-Exist': criteria } });
  expect([(await create()).status, (await create()).status]).toEqual([201, 200]);
  const updated = await call(`/stu3/Binary?${criteria}`, { method: 'PUT', body: 'b', headers });
  expect([updated.status, await updated.json()]).toMatchObject([200, { content: 'Yg==', meta: { versionId: '2' } }]);
});

it('is always FHIR JSON in a Bundle', async () => {
  const address = await stored(html, 'text/html');
  const entry = [{ request: { method: 'GET', url: address.slice('/r4/'.length) } }];
  const response = await call('/r4', {
    method: 'POST',
    body: JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry }),
    headers: { 'Content-Type': 'application/fhir+json', Accept: '*/*' },
  });
  expect(await response.json()).toMatchObject({
    entry: [{ resource: { resourceType: 'Binary', data: html.toString('base64') } }],
  });
});

it('with a media type that no header can carry is sent as bytes', async () => {
  const address = await stored(html, 'text/html; title=\u00e9');
  expect((await call(address)).headers.get('content-type')).toBe('application/octet-stream');
});

it('belongs to its user', async () => {
  const address = await stored(html, 'text/html');
  expect((await call(address, {}, store.user().token)).status).toBe(404);
  expect((await call(address, {}, 'no token')).status).toBe(401);
});

it('that is deleted gets 410', async () => {
  const address = await stored(html, 'text/html');
  expect((await call(address, { method: 'DELETE' })).status).toBe(204);
  const gone = await call(address);
  expect([gone.status, ((await gone.json()) as Resource).resourceType]).toEqual([410, 'OperationOutcome']);
});

// The last test: after a large write others wait for their commit timestamps.
