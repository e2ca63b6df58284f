import { BrowserCookie } from './browser-cookie';

describe('the browser cookie', () => {
  it('has the prefix __Host- and Secure under https', () => {
    const cookie = new BrowserCookie('https://tributary.example');
    const line = cookie.set('state', 'secret', 600);
    expect(line).toMatch(/^__Host-connect-[0-9a-f]{16}=secret; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
    expect(cookie.set('state', 'secret', 600, true)).toMatch(
      /; Path=\/; HttpOnly; SameSite=None; Secure; Partitioned$/,
    );
    expect(cookie.read('state', `other=1; ${line.split(';')[0]}; x=y`)).toBe('secret');
    expect(cookie.read('another state', line.split(';')[0])).toBeUndefined();
    expect(cookie.read('state', undefined)).toBeUndefined();
  });

  it('is named by its use', () => {
    expect(new BrowserCookie('https://tributary.example', 'console').set('session', 'secret', 60)).toMatch(
      /^__Host-console-[0-9a-f]{16}=secret; /,
    );
  });

  it('ends the oldest of many, and no cookie of others', () => {
    const cookie = new BrowserCookie('http://localhost');
    const pairs = Array.from({ length: 32 }, (_, index) => cookie.set(`page ${index}`, 's', 60).split(';')[0]);
    const ended = cookie.endOldest(['theme=dark', ...pairs, 'connect-theme=dark'].join('; '));
    expect(ended).toEqual(
      pairs.slice(0, 2).map((pair) => `${pair?.split('=')[0]}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax`),
    );
    expect(cookie.endOldest(pairs.slice(0, 30).join('; '))).toEqual([]);
    expect(cookie.endOldest(undefined)).toEqual([]);
  });
});
