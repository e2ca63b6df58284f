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
});
