import { randomBytes } from 'node:crypto';
import type { BatchSource } from '@tributary/contracts';
import type { Resource } from '@tributary/fhir-json';
import { type RunningObjectStorage, startObjectStorage } from '@tributary/local-databases';
import { waitUntil } from '@tributary/test-environment';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import type { RecordOverHttp } from '../../test/record-over-http';

const source: BatchSource = {
  client_id: 'client',
  release: 'r4',
  health_system_id: 7,
  fhir_base_url: 'https://ehr.example.org/fhir/r4',
};
const content = randomBytes(3_000_000);
const attachment = { sourceId: 'https://ehr.example.org/files/scan?n=1', mediaType: 'image/tiff' };

let server: RunningObjectStorage;
let store: FhirStoreUnderTest;
let user: RecordOverHttp;
beforeAll(async () => {
  server = await startObjectStorage();
  store = await FhirStoreUnderTest.start({ objectStorage: server });
});
beforeEach(() => (user = store.user()));
afterAll(async () => {
  await store.stop();
  await server.stop();
});

async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 99_999) yield await Promise.resolve(bytes.subarray(at, at + 99_999));
}
const storeAttachment = (bytes: Buffer, from = source): ReturnType<typeof store.records.storeAttachment> =>
  store.records.storeAttachment(user.userId, from, attachment, inPieces(bytes));
const objects = async (): Promise<boolean[]> =>
  (
    await store.pool.query<{ attached: boolean }>(
      'SELECT attached FROM fhir_store.content_object WHERE user_id = $1 ORDER BY attached',
      [user.userId],
    )
  ).rows.map(({ attached }) => attached);

it.each(['dstu2', 'stu3', 'r4'] as const)('stores the attachment as a Binary of %s', async (release) => {
  const outcome = await storeAttachment(content, { ...source, release });
  expect(outcome).toMatchObject({ outcome: 'stored', created: true, type: 'Binary', version: 1 });
  const read = await fetch(`${store.url}/${release}/Binary/${outcome.id}`, {
    headers: { Authorization: `Bearer ${user.token}` },
  });
  expect([read.status, read.headers.get('content-type')]).toEqual([200, 'image/tiff']);
  expect(Buffer.from(await read.arrayBuffer()).equals(content)).toBe(true);
});

it('changes nothing when the same content comes again, and stores a version of other content', async () => {
  const { id } = await storeAttachment(content);
  expect(await storeAttachment(content)).toMatchObject({ id, outcome: 'unchanged', version: 1 });
  expect(await objects()).toEqual([true]);
  expect(await storeAttachment(content.subarray(1))).toMatchObject({ id, outcome: 'stored', version: 2 });
  expect(await objects()).toEqual([true, true]);
});

it('has the URL of the attachment at the source', async () => {
  const { id } = await storeAttachment(content);
  const resource = (await (
    await fetch(`${store.url}/r4/Binary/${id}`, {
      headers: { Authorization: `Bearer ${user.token}`, Accept: 'application/fhir+json' },
    })
  ).json()) as Resource;
  expect(resource.meta).toMatchObject({ source: attachment.sourceId });
});

it('stores nothing when the content is cut short', async () => {
  async function* cutShort(): AsyncGenerator<Buffer> {
    yield* inPieces(content);
    throw new Error('the source has failed');
  }
  await expect(store.records.storeAttachment(user.userId, source, attachment, cutShort())).rejects.toThrow(
    'the source has failed',
  );
  await waitUntil(async () => (await user.all('/r4/Binary')).length === 0, 'there is no Binary');
  expect(await objects()).not.toContain(true);
});

it('takes large content out of the lines of a batch', async () => {
  const line = JSON.stringify({
    resourceType: 'Binary',
    id: 'b',
    contentType: 'a/b',
    data: content.toString('base64'),
  });
  const batch = async (): Promise<unknown> =>
    (await store.records.storeBatch(user.userId, source, `${line}\n`)).results;
  expect(await batch()).toMatchObject([{ outcome: 'stored' }]);
  expect(await objects()).toEqual([true]);
  expect(await batch()).toMatchObject([{ outcome: 'unchanged' }]);
  await waitUntil(async () => (await objects()).length === 1, 'what came again is deleted');
});

it('refuses a line that imitates stored content', async () => {
  const data = Buffer.alloc(57, 'tributary-content:').toString('base64');
  const line = JSON.stringify({ resourceType: 'Binary', id: 'b', contentType: 'a/b', data });
  const { results } = await store.records.storeBatch(user.userId, source, `${line}\n`);
  expect(results).toMatchObject([{ outcome: 'failed' }]);
});

it('is refused as too large without an object storage', async () => {
  const without = await FhirStoreUnderTest.start();
  await expect(without.records.storeAttachment(1, source, attachment, inPieces(content))).rejects.toMatchObject({
    status: 413,
  });
  await without.stop();
});

it('is refused for a destroyed record', async () => {
  await store.destroyRecord(user.userId);
  await expect(storeAttachment(content)).rejects.toMatchObject({ status: 410 });
  expect(await objects()).toEqual([]);
});
