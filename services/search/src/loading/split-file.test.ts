import fc from 'fast-check';
import { InvalidFile, splitFile } from './split-file';

async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function split(text: string | Buffer, chunkSize = 7): Promise<unknown[]> {
  const elements: unknown[] = [];
  for await (const element of splitFile(chunks(Buffer.from(text), chunkSize)))
    elements.push('value' in element ? element.value : { problem: element.problem });
  return elements;
}

const bundle = {
  resourceType: 'Bundle',
  id: 'x"entry":[{',
  meta: { tag: [{ entry: [{ a: 1 }] }] },
  entry: [{ resource: { name: 'Ünï "}] \\', entry: [{}] } }, {}, { fullUrl: 'urn:uuid:1' }],
  link: [{ relation: 'self' }],
};

describe('splitFile', () => {
  it('returns the elements of entry for any chunk size', async () => {
    const text = JSON.stringify(bundle);
    for (let size = 1; size <= text.length; size++) expect(await split(text, size)).toEqual(bundle.entry);
    expect(await split(JSON.stringify(bundle, null, 4))).toEqual(bundle.entry);
  });

  it('reads any bundle as JSON.parse does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.integer({ min: 1, max: 50 }),
        async (entry, rest, size) => {
          const text = JSON.stringify({ ...rest, resourceType: 'Bundle', entry });
          expect(await split(text, size)).toEqual((JSON.parse(text) as { entry: unknown[] }).entry);
        },
      ),
    );
  });

  it('refuses a file that is truncated at any position', async () => {
    const text = Buffer.from(JSON.stringify(bundle));
    for (let length = 0; length < text.length; length++)
      await expect(split(text.subarray(0, length), 16)).rejects.toThrow(InvalidFile);
  });

  it('returns the rows of an endpoint list', async () => {
    const list = { Endpoints: [{ URL: 'x', OrganizationName: '"}]' }, {}] };
    for (const size of [1, 5, 1000])
      expect(await split(JSON.stringify(list, null, '\t'), size)).toEqual(list.Endpoints);
    for await (const { member } of splitFile(chunks(Buffer.from(JSON.stringify(list)), 9)))
      expect(member).toBe('Endpoints');
    expect(await split('{"Endpoints": null}')).toEqual([]);
    expect(await split('{"Endpoints": []}')).toEqual([]);
  });

  it('refuses a file with both formats', async () => {
    for (const text of [
      '{"Endpoints":[{}],"resourceType":"Bundle","entry":[]}',
      '{"Endpoints":[{}],"resourceType":"Bundle"}',
      '{"Endpoints":[],"entry":[{}]}',
    ])
      await expect(split(text)).rejects.toThrow(InvalidFile);
  });

  it('refuses files that are not JSON, and neither a Bundle nor a list', async () => {
    for (const text of [
      '',
      '<html></html>',
      '[]',
      'null',
      '{"resourceType":"Patient"}',
      '{"endpoints":[]}',
      '{"Endpoints":{}}',
      '{"Endpoints":[{"URL":"x"}',
      '{"resourceType":"Bundle","entry":{}}',
      '{"resourceType":"Bundle","entry":[{}{}]}',
      '{"resourceType":"Bundle","entry":[{"a":}]}',
      '{"resourceType":"Bundle","entry":[{]}]}',
      `${JSON.stringify(bundle)}${JSON.stringify(bundle)}`,
      `${JSON.stringify(bundle)}]`,
    ]) {
      await expect(split(text)).rejects.toThrow(InvalidFile);
    }
  });

  it('accepts a byte order mark and a bundle without entries', async () => {
    expect(await split(`\ufeff${JSON.stringify(bundle)}`, 5)).toEqual(bundle.entry);
    expect(await split('{"resourceType":"Bundle"}')).toEqual([]);
    expect(await split('{"resourceType":"Bundle","entry":[]}')).toEqual([]);
  });

  it('skips an element that exceeds the size limit', async () => {
    const text = JSON.stringify({
      resourceType: 'Bundle',
      entry: [{ a: 1 }, { a: 'x'.repeat(9 * 1024 * 1024) }, { a: 2 }],
    });
    expect(await split(text, 100_000)).toEqual([{ a: 1 }, { problem: 'larger than 8 MB' }, { a: 2 }]);
  });
});
