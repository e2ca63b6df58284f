import { randomBytes } from 'node:crypto';
import { binaryContent } from './binary-content';

const json = (resource: object): Buffer => Buffer.from(JSON.stringify(resource));
const all = (resource: object, start?: number, end?: number): Buffer =>
  Buffer.concat([...binaryContent(json(resource)).bytes(start, end)]);

it.each([0, 1, 2, 3, 4, 49_151, 49_152, 49_153, 98_304, 1_000_001])('decodes %d bytes in pieces', (size) => {
  const content = randomBytes(size);
  const resource = { resourceType: 'Binary', contentType: 'application/pdf', data: content.toString('base64') };
  expect(binaryContent(json(resource))).toMatchObject({ contentType: 'application/pdf', length: size });
  expect(all(resource).equals(content)).toBe(true);
  for (const piece of binaryContent(json(resource)).bytes()) expect(piece.length).toBeLessThanOrEqual(49_152);
});

it('decodes a range of bytes', () => {
  const content = randomBytes(150_000);
  const resource = { data: content.toString('base64') };
  for (const [start, end] of [
    [0, 1],
    [1, 2],
    [2, 5],
    [49_151, 49_154],
    [49_150, 98_310],
    [149_999, 150_000],
  ] as const)
    expect(all(resource, start, end).equals(content.subarray(start, end))).toBe(true);
});

it('reads the members of the resource itself, and not those of its elements and texts', () => {
  const resource = {
    resourceType: 'Binary',
    meta: { tag: [{ data: 'bm8=', contentType: 'no' }] },
    extension: [{ url: 'x', valueAttachment: { contentType: 'no', data: 'bm8=' } }],
    language: 'a \\"data":"bm8=", \\',
    contentType: 'text/plain; charset="utf-8"',
    securityContext: { display: '}', reference: 'Patient/1' },
    content: 'eWVz',
  };
  const content = binaryContent(json(resource));
  expect(content).toMatchObject({
    contentType: 'text/plain; charset="utf-8"',
    securityContext: 'Patient/1',
    length: 3,
  });
  expect(all(resource).toString()).toBe('yes');
});

it.each([
  ['line breaks', 'aGVs\r\nbG8g d29y\nbGQ=\n', 'hello world'],
  ['no padding', 'aGk', 'hi'],
  ['the URL alphabet', '-_8', Buffer.from([0xfb, 0xff])],
  ['characters that are not base64', 'aG%Vs\u00e9bG8=', 'hello'],
  ['nothing', '', ''],
])('decodes base64 with %s as a whole', (_what, data, content) => {
  const expected = Buffer.from(content as string);
  expect(binaryContent(json({ data })).length).toBe(expected.length);
  expect(all({ data }).equals(expected)).toBe(true);
});

it('has no bytes without content', () => {
  expect(binaryContent(json({ resourceType: 'Binary' }))).toMatchObject({
    contentType: undefined,
    securityContext: undefined,
    length: 0,
  });
  expect(all({ data: 7 }).length).toBe(0);
});
