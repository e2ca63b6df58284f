import { UnreadableResponse } from '../../health-system/request-failures';
import { BinaryJson } from './binary-json';

const content = Buffer.from('A note, and another one?>\n');
const data = content.toString('base64');

interface Read {
  content: string;
  resourceType: string | undefined;
  contentType: string | undefined;
}

/** Reads JSON in the pieces that begin at these bytes. */
function read(json: string | Buffer, ...splits: number[]): Read {
  const binary = new BinaryJson();
  const bytes = Buffer.from(json);
  const pieces = [0, ...splits].map((start, index) => bytes.subarray(start, splits[index] ?? bytes.length));
  const decoded = Buffer.concat(pieces.map((piece) => binary.push(piece))).toString();
  binary.end();
  return { content: decoded, resourceType: binary.resourceType, contentType: binary.contentType };
}

const expected = { content: content.toString(), resourceType: 'Binary', contentType: 'text/plain; title="ü"' };
const binary = `{"resourceType":"Binary","meta":{"tag":[{"code":"a]}\\"b"}],"x":{}},"contentType":"text\\/plain; title=\\"ü\\"","n":1.5e3,"b":null,"data":"${data}","z":[]}`;

describe('a Binary in pieces', () => {
  it('is read however it is split', () => {
    expect(read(binary)).toEqual(expected);
    const bytes = Buffer.byteLength(binary);
    for (let split = 0; split <= bytes; split++) expect(read(binary, split)).toEqual(expected);
    expect(read(binary, ...Array.from({ length: bytes }, (_x, index) => index))).toEqual(expected);
  });

  it('has its content in either member, anywhere, and with white space and escapes', () => {
    const spread = data.replace(/.{6}/g, '$& \\n').replaceAll('/', '\\/').replace('A', '\\u0041');
    const pretty = JSON.stringify({ contentType: 'a/b', content: '?', resourceType: 'Binary' }, null, 2);
    const spreadBinary = pretty.replace('?', spread);
    for (let split = 0; split < spreadBinary.length; split++)
      expect(read(spreadBinary, split)).toEqual({ ...expected, contentType: 'a/b' });
    expect(read('{"data":"","resourceType":"Binary"}')).toEqual({
      content: '',
      resourceType: 'Binary',
      contentType: undefined,
    });
  });

  it.each(['', 'a', 'ab', 'abc', 'abcd', 'abcde', '\u00ff\u00fe?>~'])('has the bytes of %j, padded or not', (text) => {
    for (const encoding of ['base64', 'base64url'] as const)
      expect(read(`{"data":"${Buffer.from(text).toString(encoding)}"}`).content).toBe(text);
  });

  it('is refused when it is cut short anywhere', () => {
    for (let end = 0; end < binary.length; end++)
      expect(() => read(Buffer.from(binary).subarray(0, end))).toThrow(UnreadableResponse);
  });

  it.each([
    ['something follows', '{"data":""} x'],
    ['a member is not separated', '{"a":1 "b":2}'],
    ['it has no colon', '{"a" 1}'],
    ['a key is no string', '{a:1}'],
    ['a comma ends it', '{"a":1,}'],
    ['a value is missing', '{"a":,"b":1}'],
    ['it is text', 'data'],
    ['an escape is none', '{"data":"\\q"}'],
    ['the content is not base64', '{"data":"QQ*="}'],
    ['something follows the padding', '{"data":"QQ==QQ=="}'],
    ['a digit is missing', '{"data":"QUFBQ"}'],
    ['it has two contents', '{"data":"QQ==","content":"QQ=="}'],
  ])('is refused when %s', (_why, json) => {
    expect(() => read(json)).toThrow(UnreadableResponse);
  });

  it('leaves what is no content of a Binary', () => {
    expect(read('{"resourceType":"Media","content":"a note"}')).toMatchObject({ content: '', resourceType: 'Media' });
    expect(read('{"data":{"data":"QQ=="},"content":["QQ=="]}').content).toBe('');
    expect(read(' [{"data":"QQ=="}, 1] ').content).toBe('');
  });
});
