import { frameOriginProblem } from './frame-origin';

describe('frameOriginProblem', () => {
  it.each([
    'https://app.example.org',
    'https://app.example.org:8443',
    'https://xn--mnchen-3ya.example',
    'https://localhost',
  ])('finds none in %s', (origin) => {
    expect(frameOriginProblem(origin, false)).toBeUndefined();
  });

  it.each(['http://localhost:3000', 'http://127.0.0.1'])('finds one in %s, outside sandbox mode only', (origin) => {
    expect(frameOriginProblem(origin, true)).toBeUndefined();
    expect(frameOriginProblem(origin, false)).toBe('must be https, or http on localhost in sandbox mode');
  });

  it.each(['http://app.example.org', 'http://localhost.example.org', 'http://10.0.0.1'])(
    'finds http on another host in %s',
    (origin) => {
      expect(frameOriginProblem(origin, true)).toContain('must be https');
    },
  );

  it.each([
    '',
    'none',
    "'self'",
    '*',
    'https:',
    'app.example.org',
    'https://*.example.org',
    'https://app.example.org/',
    'https://app.example.org/path',
    'https://app.example.org?x',
    'https://app.example.org#x',
    'https://app.example.org:443',
    'https://app.example.org:99999',
    'https://App.example.org',
    'https://münchen.example',
    'https://u:p@app.example.org',
    'https://a.example https://b.example',
    'https://a.example;script-src',
    "https://a.example,'self'",
    'https://a.example\n',
    'https://[::1]',
    'https://1',
    'ftp://app.example.org',
    'data:text/html,x',
    `https://${'a.'.repeat(130)}example`,
  ])('finds no origin in %j', (text) => {
    expect(frameOriginProblem(text, true)).toContain('must be an origin');
  });
});
