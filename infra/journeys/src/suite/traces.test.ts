import { TraceFinder } from './traces';

describe('the traces of a secret', () => {
  const secret = 'Quillfeather-77';
  const finder = new TraceFinder({ name: secret, other: 'something+else?', key: Buffer.alloc(32, 0xe9) });
  const around = (text: string): string => `(1,"${text}",2026)`;

  it.each([
    ['the text itself', secret],
    ['hexadecimal, as of bytea', `\\x00${Buffer.from(secret).toString('hex')}ff`],
    ['base64', Buffer.from(secret).toString('base64')],
    ['base64 behind one byte', Buffer.from(`a${secret}b`).toString('base64')],
    ['base64 behind two bytes', Buffer.from(`ab${secret}cd`).toString('base64')],
    ['base64url within JSON', Buffer.from(`{"family":"${secret}"}`).toString('base64url')],
  ])('are found as %s', (_form, text) => expect(finder.find(around(text))).toEqual(['name']));

  it('are not found elsewhere, and are not patterns', () => {
    expect(finder.find(around('Quillfeather-78 somethinggelse'))).toEqual([]);
    expect(finder.find(around('something+else?'))).toEqual(['other']);
    expect(finder.find(around(`\\x${'e9'.repeat(32)}`))).toEqual(['key']);
    expect(() => new TraceFinder({ short: '44054006' })).toThrow('can occur by chance');
  });
});
