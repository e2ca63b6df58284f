import { parsePrefer } from './prefer-header';

it.each([
  [undefined, {}],
  ['', {}],
  ['respond-async', { 'respond-async': '' }],
  ['Return=Minimal, HANDLING="strict"', { return: 'minimal', handling: 'strict' }],
  ['respond-async; handling = lenient', { 'respond-async': '', handling: 'lenient' }],
  ['handling=strict, handling=lenient', { handling: 'strict' }],
])('parses %j', (header, expected) => {
  expect(Object.fromEntries(parsePrefer(header))).toEqual(expected);
});
