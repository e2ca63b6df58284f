import { bearerTokenOf } from './user-authentication';

it.each([
  [undefined, undefined],
  ['Basic YTpi', undefined],
  ['Bearerish abc', undefined],
  ['', undefined],
  ['Bearer abc', 'abc'],
  ['bearer  abc ', 'abc'],
  ['Bearer', ''],
  ['Bearer a b', ''],
])('finds in the header %p the token %p', (authorization, token) => {
  expect(bearerTokenOf({ headers: authorization === undefined ? {} : { authorization } })).toBe(token);
});

it('refuses two Authorization headers, which Node joins', () => {
  expect(() => bearerTokenOf({ headers: { authorization: 'Bearer a, Bearer b' } })).toThrow(
    'Authorization is given twice',
  );
});
