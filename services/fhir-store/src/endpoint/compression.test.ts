import { FhirStoreUnderTest } from '../../test/fhir-store-under-test';

describe('compression of FHIR responses', () => {
  let store: FhirStoreUnderTest;
  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
  });
  afterAll(() => store.stop());

  /** Sends a request by fetch, which decompresses, and shows the headers as they came. */
  async function read(address: string, encoding: string): Promise<{ headers: Headers; text: string; status: number }> {
    const user = store.user();
    await user.create('r4', { resourceType: 'Basic', code: { text: 'x'.repeat(4000) } });
    const { url } = user.get(address);
    const response = await fetch(url, {
      headers: { Authorization: `Bearer ${user.token}`, 'Accept-Encoding': encoding },
    });
    return { headers: response.headers, text: await response.text(), status: response.status };
  }

  it.each(['br', 'gzip'])('compresses a Bundle by %s', async (encoding) => {
    const { headers, text } = await read('/r4/Basic', encoding);
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([encoding, 'Accept, Accept-Encoding']);
    expect(Number(headers.get('content-length'))).toBeLessThan(1500);
    expect(JSON.parse(text)).toMatchObject({ resourceType: 'Bundle', entry: [{}] });
  });

  it('compresses a large statement on another thread', async () => {
    const { headers, text } = await read('/r4/metadata', 'br');
    expect(headers.get('content-encoding')).toBe('br');
    expect(Number(headers.get('content-length'))).toBeLessThan(text.length / 5);
    expect(JSON.parse(text)).toMatchObject({ resourceType: 'CapabilityStatement' });
  });

  it('keeps the ETag, and sends small bodies and those of other clients as they are', async () => {
    const user = store.user();
    const { id } = await user.create('r4', { resourceType: 'Basic', code: { text: 'x'.repeat(4000) } });
    const etags: unknown[] = [];
    for (const encoding of ['identity', 'gzip', 'br']) {
      const { headers } = await user.get(`/r4/Basic/${id}`).set('Accept-Encoding', encoding);
      etags.push([headers['etag'], headers['content-encoding'] ?? 'identity']);
    }
    expect(etags).toEqual([
      ['W/"1"', 'identity'],
      ['W/"1"', 'gzip'],
      ['W/"1"', 'br'],
    ]);
    const notModified = await user.get(`/r4/Basic/${id}`).set('Accept-Encoding', 'br').set('If-None-Match', 'W/"1"');
    expect([notModified.status, notModified.headers['content-encoding']]).toEqual([304, undefined]);
    const small = await read('/r4/Patient', 'br');
    expect([small.status, small.headers.get('content-encoding')]).toEqual([200, null]);
  });
});
