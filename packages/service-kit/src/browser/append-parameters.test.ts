import { appendParameters } from './append-parameters';

describe('appendParameters', () => {
  it.each([
    ['https://x.org/cb', 'https://x.org/cb?a=1'],
    ['https://x.org/cb?', 'https://x.org/cb?a=1'],
    ['https://x.org/cb?b=%2F', 'https://x.org/cb?b=%2F&a=1'],
    ['https://x.org:443//cb/?b=c&', 'https://x.org:443//cb/?b=c&a=1'],
    ['https://x.org/cb#part', 'https://x.org/cb?a=1#part'],
    ['app://cb', 'app://cb?a=1'],
  ])('adds to %s', (address, expected) =>
    expect(appendParameters(address, { a: '1', none: undefined })).toBe(expected),
  );
});
