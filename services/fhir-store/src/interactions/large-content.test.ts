import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import type { Release } from '@tributary/fhir-definitions';
import type { JsonObject, Resource } from '@tributary/fhir-json';
import { type RunningObjectStorage, startObjectStorage } from '@tributary/local-databases';
import { waitUntil } from '@tributary/test-environment';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import type { RecordOverHttp } from '../../test/record-over-http';

const member: Record<Release, string> = { dstu2: 'content', stu3: 'content', r4: 'data' };
const releases = Object.keys(member) as Release[];
const content = randomBytes(1_100_003);
const base64 = content.toString('base64');

/** A short text in place of a long one, so that a failed comparison can be read. */
const digest = (text: string): string => (text.length > 200 ? createHash('sha256').update(text).digest('hex') : text);
const jsonOf = async (response: Response): Promise<unknown> =>
  JSON.parse(await response.text(), (_name, value: unknown) => (typeof value === 'string' ? digest(value) : value));

let server: RunningObjectStorage;
let store: FhirStoreUnderTest;
let user: RecordOverHttp;
beforeAll(async () => {
  server = await startObjectStorage();
  store = await FhirStoreUnderTest.start({
    objectStorage: server,
    thread: true,
    contentLimits: { storedBytes: 5_000_000, pageBytes: 3_500_000 },
  });
});
beforeEach(() => (user = store.user()));
afterAll(async () => {
  await store.stop();
  await server.stop();
});

const call = (
  address: string,
  { headers = {}, ...init }: RequestInit & { headers?: Record<string, string> } = {},
): Promise<Response> =>
  fetch(address.startsWith('http') ? address : `${store.url}${address}`, {
    ...init,
    headers: { Authorization: `Bearer ${user.token}`, ...headers },
  });
const bytesOf = async (response: Response): Promise<Buffer> => Buffer.from(await response.arrayBuffer());
const fhirJson = { Accept: 'application/fhir+json' };
const jsonBody = { 'Content-Type': 'application/fhir+json' };
const objectsOf = async (userId = user.userId): Promise<boolean[]> =>
  (
    await store.pool.query<{ attached: boolean }>(
      'SELECT attached FROM fhir_store.content_object WHERE user_id = $1 ORDER BY attached',
      [userId],
    )
  ).rows.map(({ attached }) => attached);

async function uploaded(
  release: Release = 'r4',
  body: Buffer = content,
): Promise<{ address: string; reply: Response }> {
  const headers = { 'Content-Type': 'application/pdf', Prefer: 'return=minimal' };
  const reply = await call(`/${release}/Binary`, { method: 'POST', body, headers });
  return {
    address: new URL(reply.headers.get('location') ?? 'http://none').pathname.split('/_history')[0] as string,
    reply,
  };
}

describe.each(releases)('%s: large content of a Binary', (release) => {
  it('is uploaded in its own media type, and read so and as JSON, whole and in parts', async () => {
    const { address, reply } = await uploaded(release);
    expect([reply.status, await objectsOf()]).toEqual([201, [true]]);
    const native = await call(address);
    expect([native.status, native.headers.get('content-type'), native.headers.get('content-length')]).toEqual([
      200,
      'application/pdf',
      String(content.length),
    ]);
    expect((await bytesOf(native)).equals(content)).toBe(true);
    const json = await call(address, { headers: fhirJson });
    const text = await json.text();
    expect(json.headers.get('content-length')).toBe(String(text.length));
    expect((JSON.parse(text) as JsonObject)[member[release]] === base64).toBe(true);
    const part = await call(address, { headers: { Range: 'bytes=196600-1000000' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 196600-1000000/${content.length}`]);
    expect((await bytesOf(part)).equals(content.subarray(196_600, 1_000_001))).toBe(true);
    const head = await call(address, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(content.length)]);
  });

  it('is taken out of JSON, also in a batch and in a transaction', async () => {
    const binary = { resourceType: 'Binary', contentType: 'image/png' };
    const resource = { ...binary, [member[release]]: base64 };
    const shown = { ...binary, [member[release]]: digest(base64) };
    const created = await call(`/${release}/Binary`, {
      method: 'POST',
      body: JSON.stringify(resource),
      headers: jsonBody,
    });
    const { id, ...stored } = (await jsonOf(created)) as Resource;
    expect([created.status, stored]).toMatchObject([201, shown]);
    const updated = await call(`/${release}/Binary/${id}`, {
      method: 'PUT',
      body: JSON.stringify({ ...resource, id, contentType: 'image/gif' }),
      headers: jsonBody,
    });
    expect([updated.status, await jsonOf(updated)]).toMatchObject([
      200,
      { contentType: 'image/gif', [member[release]]: digest(base64) },
    ]);
    for (const type of ['batch', 'transaction']) {
      const entry = [
        { resource, request: { method: 'POST', url: 'Binary' } },
        { request: { method: 'GET', url: `Binary/${id}` } },
      ];
      const reply = await call(`/${release}`, {
        method: 'POST',
        body: JSON.stringify({ resourceType: 'Bundle', type, entry }),
        headers: jsonBody,
      });
      expect(await jsonOf(reply)).toMatchObject({
        entry: [{ resource: shown }, { resource: { id, [member[release]]: digest(base64) } }],
      });
    }
    expect(await objectsOf()).toEqual([true, true, true, true]);
    // No entry of the database has the content.
    const { rows } = await store.pool.query<{ bytes: number }>(
      'SELECT max(plain_bytes) AS bytes FROM fhir_store.block WHERE user_id = $1',
      [user.userId],
    );
    expect(rows[0]?.bytes).toBeLessThan(1000);
  });

  it('is in searches and histories, and its versions stay', async () => {
    const { address } = await uploaded(release);
    const other = randomBytes(1_050_000);
    const put = await call(address, {
      method: 'PUT',
      body: other,
      headers: { 'Content-Type': 'image/png', 'If-Match': 'W/"1"' },
    });
    expect([put.status, ((await jsonOf(put)) as JsonObject)[member[release]]]).toEqual([
      200,
      digest(other.toString('base64')),
    ]);
    const found = await call(`/${release}/Binary?_id=${address.split('/').at(-1)}`);
    expect(await jsonOf(found)).toMatchObject({
      entry: [{ resource: { [member[release]]: digest(other.toString('base64')) } }],
    });
    const history = await call(`${address}/_history`);
    expect(await jsonOf(history)).toMatchObject({
      entry: [
        { resource: { [member[release]]: digest(other.toString('base64')) } },
        { resource: { [member[release]]: digest(base64) } },
      ],
    });
    expect((await bytesOf(await call(`${address}/_history/1`))).equals(content)).toBe(true);
  });

  it('stays when a patch changes something else', async () => {
    const { address } = await uploaded(release);
    const patched = await call(address, {
      method: 'PATCH',
      body: JSON.stringify([{ op: 'replace', path: '/contentType', value: 'text/plain' }]),
      headers: { 'Content-Type': 'application/json-patch+json' },
    });
    expect([patched.status, await jsonOf(patched)]).toMatchObject([
      200,
      { contentType: 'text/plain', [member[release]]: digest(base64) },
    ]);
    expect(await objectsOf()).toEqual([true]);
  });
});

it.each([
  ['/meta/extension', '/meta/extension/0/valueBase64Binary'],
  ['/securityContext', '/securityContext/display'],
])('is not copied by a patch to %s', async (path, target) => {
  const { address } = await uploaded();
  const added =
    path === '/securityContext' ? { display: 'x' } : [{ url: 'http://example.org/x', valueBase64Binary: 'AAAA' }];
  const patch = (operations: object[]): Promise<Response> =>
    call(address, {
      method: 'PATCH',
      body: JSON.stringify(operations),
      headers: { 'Content-Type': 'application/json-patch+json' },
    });
  const refused = await patch([
    { op: 'add', path, value: added },
    { op: 'copy', from: '/data', path: target },
  ]);
  expect([refused.status, await jsonOf(refused)]).toMatchObject([
    422,
    { issue: [{ diagnostics: 'the content of a Binary cannot be copied to another element' }] },
  ]);
  expect((await patch([{ op: 'add', path, value: added }])).status).toBe(200);
});

it('counts with its whole size in a history', async () => {
  const { address } = await uploaded('r4', randomBytes(1_900_000));
  await call(address, { method: 'PUT', body: randomBytes(1_900_000), headers: { 'Content-Type': 'image/png' } });
  const page = (await jsonOf(await call(`${address}/_history`))) as { entry: unknown[]; link: { relation: string }[] };
  expect([page.entry.length, page.link.some(({ relation }) => relation === 'next')]).toEqual([1, true]);
});

it('counts with its whole size on a page and in the responses of a Bundle', async () => {
  for (let n = 0; n < 2; n++) await uploaded('r4', randomBytes(1_900_000));
  const page = (await (await call('/r4/Binary')).json()) as { entry: unknown[]; link: { relation: string }[] };
  expect([page.entry.length, page.link.some(({ relation }) => relation === 'next')]).toEqual([1, true]);
});

it('is uploaded whatever the format of the response, and not where criteria select the resource', async () => {
  const send = (path: string, method: string, headers = {}): Promise<Response> =>
    call(path, {
      method,
      body: content,
      headers: { 'Content-Type': 'application/pdf', Prefer: 'return=minimal', ...headers },
    });
  expect((await send('/r4/Binary?_format=json', 'POST')).status).toBe(201);
  expect((await send('/stu3/Binary?contenttype=application/pdf', 'PUT')).status).toBe(201);
  expect((await send('/stu3/Binary', 'POST', { 'If-None-Exist': 'contenttype=image/png' })).status).toBe(201);
  await waitUntil(async () => (await objectsOf()).every(Boolean), 'what was uploaded is referred to');
  expect(await objectsOf()).toEqual([true, true, true]);
});

it('up to 1 MB stays in the database', async () => {
  await uploaded('r4', randomBytes(1_000_000));
  expect(await objectsOf()).toEqual([]);
  await uploaded('r4', randomBytes(1_000_001));
  expect(await objectsOf()).toEqual([true]);
});

it('above the limit is refused, whether its length is known or not', async () => {
  const tooLarge = Buffer.alloc(5_000_001);
  const { reply } = await uploaded('r4', tooLarge);
  expect([reply.status, await jsonOf(reply)]).toMatchObject([
    413,
    { issue: [{ diagnostics: 'the content of a Binary is larger than 5 MB' }] },
  ]);
  const chunked = await fetch(`${store.url}/r4/Binary`, {
    method: 'POST',
    body: new Blob([tooLarge]).stream(),
    duplex: 'half',
    headers: { Authorization: `Bearer ${user.token}`, 'Content-Type': 'application/pdf' },
  } as RequestInit);
  expect([chunked.status, await objectsOf()]).toEqual([413, [false]]);
  await chunked.arrayBuffer();
});

it('of a client that disconnects is not stored', async () => {
  const { port } = new URL(store.url);
  const request = httpRequest({
    port,
    method: 'POST',
    path: '/r4/Binary',
    headers: { Authorization: `Bearer ${user.token}`, 'Content-Type': 'application/pdf', 'Content-Length': 4_000_000 },
  });
  request.on('error', () => undefined);
  request.write(randomBytes(3_000_000));
  await waitUntil(async () => (await objectsOf()).length === 1, 'the upload has begun');
  request.destroy();
  await waitUntil(
    async () => ((await (await call('/r4/Binary?_summary=count')).json()) as { total: number }).total === 0,
    'nothing is stored',
  );
  expect(await objectsOf()).toEqual([false]);
});

it('is deleted when the resource cannot be written', async () => {
  const refused = await call('/r4/Binary/00000000-0000-4000-8000-000000000000', {
    method: 'PUT',
    body: content,
    headers: { 'Content-Type': 'application/pdf', 'If-Match': 'W/"3"' },
  });
  expect(refused.status).toBe(412);
  await waitUntil(async () => (await objectsOf()).length === 0, 'the content is deleted');
});

it('in JSON is deleted when the resource cannot be written', async () => {
  const invalid = { resourceType: 'Binary', contentType: 'image/png', data: base64, nonsense: 1 };
  const batch = [{ resource: { ...invalid, nonsense: undefined }, request: { method: 'PUT', url: 'Binary/no-uuid' } }];
  for (const [path, body] of [
    ['/r4/Binary', invalid],
    ['/r4', { resourceType: 'Bundle', type: 'transaction', entry: batch }],
  ] as const)
    expect(
      (await call(path, { method: 'POST', body: JSON.stringify(body), headers: jsonBody })).status,
    ).toBeGreaterThan(399);
  await waitUntil(async () => (await objectsOf()).length === 0, 'the content is deleted');
});

it('that looks like base64 and is none is refused as such', async () => {
  const reply = await call('/r4/Binary', {
    method: 'POST',
    body: JSON.stringify({ resourceType: 'Binary', contentType: 'image/png', data: `${base64.slice(0, -8)}!!!` }),
    headers: jsonBody,
  });
  expect([reply.status, await objectsOf()]).toEqual([422, []]);
});

it('is destroyed with the record', async () => {
  const { address } = await uploaded();
  await store.destroyRecord(user.userId);
  expect([(await call(address)).status, await objectsOf()]).toEqual([404, []]);
});

it('cannot be read or stored during an outage of the object storage, and everything else can', async () => {
  const outage = await startObjectStorage();
  const others = await FhirStoreUnderTest.start({ objectStorage: outage });
  const { token } = others.user();
  const send = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${others.url}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/pdf', ...(init.headers as object) },
    });
  const post = (body: Buffer): Promise<Response> => send('/r4/Binary', { method: 'POST', body });
  const address = new URL((await post(content)).headers.get('location') as string).pathname;
  await outage.stop();
  for (const reply of [await send(address), await send(address, { headers: fhirJson }), await post(content)])
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '2']);
  expect((await post(content.subarray(0, 1000))).status).toBe(201);
  await others.stop();
});
