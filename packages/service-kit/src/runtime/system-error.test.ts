import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeInWords, fileError, messageInWords, readNamedFile } from './system-error';

async function connectionError(host: string): Promise<unknown> {
  const socket = connect({ host, port: 1 });
  return new Promise((resolve) => socket.once('error', resolve));
}

describe('the message of an error', () => {
  it.each([
    [new Error('there is no such client'), 'there is no such client'],
    [new AggregateError([new Error('one')], 'all failed'), 'all failed'],
    [new AggregateError([new Error('one'), new Error('two')]), 'one'],
    [Object.assign(new Error('x'), { errno: 1 }), 'x'],
    ['a text', 'the command failed'],
    [undefined, 'the command failed'],
  ])('of %p is %s', (error, message) => {
    expect(messageInWords(error)).toBe(message);
  });

  it('has the reason of the operating system in words', async () => {
    expect(messageInWords(await connectionError('127.0.0.1'))).toBe('127.0.0.1:1: connection refused');
    expect(messageInWords(await connectionError('localhost'))).toMatch(/:1: connection refused$/);
    expect(messageInWords(await connectionError('host.invalid'))).toMatch(/^host\.invalid: /);
  });
});

it.each([
  ['ECONNREFUSED', 'connection refused'],
  ['ENOTFOUND', 'unknown host'],
  ['the address is refused', 'the address is refused'],
])('says %s in words', (code, words) => {
  expect(codeInWords(code)).toBe(words);
});

describe('a file that an operator names', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'named-file-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('is read, or the error names it and the reason in words', () => {
    const file = join(folder, 'list');
    expect(() => readNamedFile(file)).toThrow(`${file} cannot be read: no such file or directory`);
    expect(() => readNamedFile(folder)).toThrow(`${folder} cannot be read: illegal operation on a directory`);
    writeFileSync(file, 'a line');
    expect(readNamedFile(file)).toBe('a line');
    expect(() => readNamedFile(join(file, 'list'))).toThrow('list cannot be read: not a directory');
  });

  it('leaves other errors as they are', () => {
    const error = new Error('line 1 is no checkpoint');
    expect(fileError('list', error)).toBe(error);
  });
});
