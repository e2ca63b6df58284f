import { redirectUriProblem } from './redirect-uri';

describe('redirectUriProblem', () => {
  it.each([
    'https://a.example/back',
    'https://a.example/back?x=1',
    'http://localhost:3000/cb',
    'http://127.0.0.1/cb',
    'http://[::1]:9/cb',
    'com.example.diary:/back',
    'com.example.diary://back',
  ])('finds none in %s', (uri) => {
    expect(redirectUriProblem(uri)).toBeUndefined();
  });

  it.each([
    '',
    'back',
    '/back',
    '//a.example/',
    'http://a.example/',
    'http://localhost.a.example/',
    'http://127.0.0.1.a.example/',
    'https://a.example/#x',
    'https://a.example/#',
    'https://u:p@a.example/',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://a.example/',
    'https://a.example/\nb',
    'https://a.example/ b',
    ' https://a.example/',
  ])('finds one in %j', (uri) => {
    expect(redirectUriProblem(uri)).toEqual(expect.any(String));
  });
});
