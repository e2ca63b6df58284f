import { packageOf, renderProfile, summarizeProfile } from './cpu-profile';

const frame = (
  functionName: string,
  url: string,
  lineNumber = 0,
): { functionName: string; url: string; lineNumber: number } => ({ functionName, url, lineNumber });

describe('a profile', () => {
  const summary = summarizeProfile(
    {
      nodes: [
        { id: 1, callFrame: frame('(idle)', '') },
        { id: 2, callFrame: frame('search', 'file:///r/services/fhir-store/dist/search.js', 9) },
        { id: 3, callFrame: frame('parse', 'file:///r/node_modules/pg-protocol/dist/parser.js', 4) },
        { id: 4, callFrame: frame('search', 'file:///r/services/fhir-store/dist/search.js', 9) },
        { id: 5, callFrame: frame('(garbage collector)', '') },
      ],
      samples: [1, 2, 3, 4, 5, 1],
      timeDeltas: [500, 100, 200, 150, 50, -3],
    },
    10,
  );

  it('sums the self time of functions and packages without idle time', () => {
    expect(summary.busy).toBe(0.5);
    expect(summary.functions.map(({ name, part }) => [name, part])).toEqual([
      ['search  fhir-store search.js:10', 0.5],
      ['parse  pg-protocol parser.js:5', 0.4],
      ['(garbage collector)', 0.1],
    ]);
    expect(summary.packages.map(({ name }) => name)).toEqual(['fhir-store', 'pg-protocol', '(garbage collector)']);
  });

  it('is rendered in percent', () => {
    expect(renderProfile('read', summary)).toContain('read: busy 50.0 % of the time.');
    expect(renderProfile('read', summary)).toContain('   40.0 %  parse  pg-protocol parser.js:5');
  });

  it.each([
    ['node:internal/streams/writable', 'node:internal/streams'],
    ['node:zlib', 'node:zlib'],
    ['file:///r/node_modules/@a/b/index.js', '@a/b'],
    ['file:///r/packages/key-vault/dist/x.js', 'key-vault'],
    ['', 'native'],
  ])('%s belongs to %s', (url, name) => expect(packageOf(url, 'f')).toBe(name));
});
