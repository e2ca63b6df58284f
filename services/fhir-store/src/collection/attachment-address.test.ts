import type { BatchSource } from '@tributary/contracts';
import type { Resource } from '@tributary/fhir-json';
import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';
import type { RecordOverHttp } from '../../test/record-over-http';
import { attachmentAddress, isUnreachable, readAttachmentUrl } from './attachment-address';
import type { CollectionSource } from './collection-source';

const origin = 'https://ehr.example.org';
const source: BatchSource = {
  client_id: 'client',
  release: 'r4',
  health_system_id: 7,
  fhir_base_url: `${origin}/fhir/r4`,
};
const signed = (signature: string, path = '/storage/1/2'): string =>
  `${origin}${path}?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Security-Token=${signature.repeat(400)}&X-Amz-Signature=${signature}`;

describe('attachmentAddress', () => {
  const read = (text: string) => attachmentAddress({ fhirBaseUrl: source.fhir_base_url } as CollectionSource, text);

  it.each([
    `${origin}/files/1?X-Amz-Date=a&X-Amz-Signature=b`,
    `${origin}/files/1?x-goog-credential=a&x-goog-signature=b`,
    `${origin}/files/1?Expires=1&Signature=b&Key-Pair-Id=c`,
    `${origin}/files/1?AWSAccessKeyId=a&Expires=1&Signature=b`,
    `${origin}/files/1?sv=2024&se=2025&sr=b&sp=r&sig=b`,
  ])('drops the signature of %s', (text) => {
    expect(read(text)).toMatchObject({ isOwn: true, isSigned: true, url: `${origin}/files/1` });
  });

  it('keeps parameters that can name the content', () => {
    expect(read(`${origin}/files?id=1&Expires=1&Signature=b&versionId=2`)?.url).toBe(
      `${origin}/files?id=1&versionId=2`,
    );
    for (const text of [`${origin}/files?id=1&se=2`, `${origin}/files?token=abc&Expires=1`])
      expect(read(text)).toEqual({ requested: text, isOwn: true, isSigned: false, url: text, sourceId: text });
  });

  it('distinguishes the origin of the source from others', () => {
    expect(read('https://EHR.example.org:443/a')?.isOwn).toBe(true);
    expect(read('/a')).toMatchObject({ isOwn: true, url: `${origin}/a` });
    for (const text of ['https://files.example.org/a', 'http://ehr.example.org/a', '//files.example.org/a'])
      expect(read(text)?.isOwn).toBe(false);
    for (const text of ['', '#a', 'Binary/1', 'N/A', 'urn:uuid:1', 'data:text/plain,a', 'https://'])
      expect(read(text)).toBeUndefined();
  });
});

describe('readAttachmentUrl', () => {
  const fhirBaseUrl = source.fhir_base_url;

  it.each([
    ['files/x.pdf', '/fhir/r4/files/x.pdf'],
    ['DocumentReference/1/$content', '/fhir/r4/DocumentReference/1/$content'],
    ['../x', '/fhir/x'],
    ['./../../x', '/x'],
    ['x.pdf', '/fhir/r4/x.pdf'],
    ['files/my report.pdf', '/fhir/r4/files/my%20report.pdf'],
    ['content?id=1', '/fhir/r4/content?id=1'],
  ])('resolves %s against the FHIR base', (text, path) => {
    const url = `${origin}${path}`;
    expect(readAttachmentUrl({ fhirBaseUrl }, text)).toEqual({
      requested: url,
      isOwn: true,
      isSigned: false,
      url,
      sourceId: url,
    });
  });

  it('keeps the signature of a relative address in what is requested', () => {
    expect(readAttachmentUrl({ fhirBaseUrl }, 'files/1?X-Amz-Signature=b')).toMatchObject({
      requested: `${fhirBaseUrl}/files/1?X-Amz-Signature=b`,
      isSigned: true,
      url: `${fhirBaseUrl}/files/1`,
    });
  });

  it('a word is not an address', () => {
    for (const text of ['', ' ', '#a', '?a', 'N/A', 'n/a', 'unknown', 'See chart.', 'data:text/plain,a']) {
      expect([text, readAttachmentUrl({ fhirBaseUrl }, text)]).toEqual([text, undefined]);
      expect([text, isUnreachable({ fhirBaseUrl }, text)]).toEqual([text, false]);
    }
  });

  it.each([
    'https://files.example.org/a',
    'ftp://ehr.example.org/a',
    'file:///a',
    'C:\\scans\\a.pdf',
    '\\\\scans\\a',
    'urn:oid:1',
  ])('cannot reach %s', (text) => expect(isUnreachable({ fhirBaseUrl }, text)).toBe(true));
});

describe('addresses of attachments', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  const document = (url: string, members: object = {}): object => ({
    resourceType: 'DocumentReference',
    id: 'd',
    status: 'current',
    content: [{ attachment: { url } }],
    ...members,
  });
  const binary = (id: string, data = 'eA=='): object => ({
    resourceType: 'Binary',
    id,
    contentType: 'text/plain',
    data,
  });
  async function storeOne(user: RecordOverHttp, resource: object) {
    const { results } = await store.records.storeBatch(user.userId, source, `${JSON.stringify(resource)}\n`);
    return results[0];
  }
  const unresolved = async (user: RecordOverHttp): Promise<string[]> =>
    (await store.records.unresolvedReferences(user.userId, source, undefined)).references;
  const resolve = (user: RecordOverHttp) => store.records.resolveReferences(user.userId, source);
  const urlOf = async (user: RecordOverHttp): Promise<string> => {
    const [resource = {}] = (await user.all('/r4/DocumentReference')) as {
      content?: { attachment: { url: string } }[];
    }[];
    return resource.content?.[0]?.attachment.url ?? '';
  };
  const onlyBinary = async (user: RecordOverHttp): Promise<Resource> => {
    const [resource, ...others] = await user.all('/r4/Binary');
    expect(others).toEqual([]);
    return resource as Resource;
  };

  it('can be presigned: a new signature changes nothing, and the content is not awaited again', async () => {
    const user = store.user();
    await storeOne(user, document(signed('a')));
    expect(await unresolved(user)).toEqual([signed('a')]);
    expect(await storeOne(user, binary(signed('a')))).toMatchObject({ outcome: 'stored' });
    await resolve(user);
    const { id, meta } = await onlyBinary(user);
    expect(meta?.['source']).toBe(`${origin}/storage/1/2`);
    expect(await urlOf(user)).toBe(`Binary/${id}`);
    expect(await storeOne(user, document(signed('b')))).toMatchObject({ outcome: 'unchanged' });
    expect(await unresolved(user)).toEqual([]);
    expect(await storeOne(user, binary(signed('b')))).toMatchObject({ outcome: 'unchanged' });
    // The record does not name an address at which the content could be read again.
    const held = await store.records.sourceReferences(user.userId, source, { type: 'Binary', without: [] }, undefined);
    expect(held.references).toEqual([]);
  });

  it('is awaited at the newest address, and found after it was not in an earlier collection', async () => {
    const user = store.user();
    await storeOne(user, document(signed('a')));
    await resolve(user);
    expect(await urlOf(user)).toBe(signed('a'));
    expect(await storeOne(user, document(signed('b')))).toMatchObject({ outcome: 'unchanged' });
    expect(await unresolved(user)).toEqual([signed('b')]);
    await storeOne(user, binary(signed('b')));
    await resolve(user);
    expect(await urlOf(user)).toBe(`Binary/${(await onlyBinary(user)).id}`);
  });

  it('is awaited again when the resource has changed', async () => {
    const user = store.user();
    await storeOne(user, document(signed('a')));
    await storeOne(user, binary(signed('a')));
    await resolve(user);
    await storeOne(user, document(signed('b'), { description: 'corrected' }));
    expect(await unresolved(user)).toEqual([signed('b')]);
    expect(await storeOne(user, binary(signed('b'), 'eQ=='))).toMatchObject({ outcome: 'stored', created: false });
    await resolve(user);
    expect(await unresolved(user)).toEqual([]);
    expect(await onlyBinary(user)).toMatchObject({ data: 'eQ==', meta: { versionId: '2' } });
    expect(await urlOf(user)).toMatch(/^Binary\//);
  });

  it('can begin with a slash', async () => {
    const user = store.user();
    await storeOne(user, document('/Binary/b'));
    expect(await unresolved(user)).toEqual(['/Binary/b']);
    await storeOne(user, binary('/Binary/b'));
    await resolve(user);
    expect(await urlOf(user)).toBe(`Binary/${(await onlyBinary(user)).id}`);
    const other = store.user();
    await storeOne(other, document('/fhir/r4/Binary/b'));
    expect(await unresolved(other)).toEqual(['Binary/b']);
  });

  it('can be relative to the FHIR base, and are one with the absolute address', async () => {
    const user = store.user();
    await storeOne(user, document('files/1.txt'));
    const url = `${source.fhir_base_url}/files/1.txt`;
    expect(await unresolved(user)).toEqual([url]);
    await resolve(user);
    expect(await urlOf(user)).toBe('files/1.txt');
    expect(await storeOne(user, document('files/1.txt'))).toMatchObject({ outcome: 'unchanged' });
    await storeOne(user, binary(url));
    await resolve(user);
    const { id, meta } = await onlyBinary(user);
    expect([await urlOf(user), meta?.['source']]).toEqual([`Binary/${id}`, url]);
    // The content can be read there again.
    const held = await store.records.sourceReferences(user.userId, source, { type: 'Binary', without: [] }, undefined);
    expect(held.references).toMatchObject([{ id, reference: url }]);
    await storeOne(user, document(url));
    await resolve(user);
    expect(await urlOf(user)).toBe(`Binary/${id}`);
  });

  it('can lead to a Binary, or to another resource', async () => {
    const user = store.user();
    await storeOne(user, document('../r4/Binary/b'));
    expect(await unresolved(user)).toEqual(['Binary/b']);
    const other = store.user();
    await storeOne(other, document('Bundle/1'));
    expect(await unresolved(other)).toEqual([`${source.fhir_base_url}/Bundle/1`]);
  });

  it('at other hosts are counted and kept', async () => {
    const user = store.user();
    const elsewhere = 'https://files.example.org/1';
    expect(await storeOne(user, document(elsewhere))).toMatchObject({ attachments_elsewhere: 1 });
    expect(await storeOne(user, document(elsewhere))).toMatchObject({ outcome: 'unchanged', attachments_elsewhere: 1 });
    expect(await unresolved(user)).toEqual([]);
    expect(await urlOf(user)).toBe(elsewhere);
  });
});
