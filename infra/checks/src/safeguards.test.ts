import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findSafeguardProblems, safeguardsPage } from './safeguards';

describe('the check of the safeguards', () => {
  const page = readFileSync(join(__dirname, '..', '..', '..', safeguardsPage), 'utf8');
  const problemsOf = (change: (row: string) => string): string[] =>
    findSafeguardProblems(
      page
        .split('\n')
        .map((line) => (line.startsWith('| 164.312(b)') ? change(line) : line))
        .join('\n'),
    ).map(({ problem }) => problem);

  it('accepts the page', () => {
    expect(problemsOf((row) => row)).toEqual([]);
  });

  it.each<[string, (row: string) => string, string]>([
    ['a control without a row', () => '', '164.312(b) has no row'],
    ['an unknown control', (row) => row.replace('164.312(b)', '164.312(f)'), '164.312(f) is no known control'],
    ['a row without mechanism', (row) => row.replace(/^(\|[^|]*\|)[^|]*/, '$1 '), '164.312(b) has no mechanism'],
    ['a row without code', (row) => row.replace(/^((?:\|[^|]*){2}\|)[^|]*/, '$1 all '), '164.312(b) names no code'],
    [
      'a row without test and command',
      (row) => row.replace(/^((?:\|[^|]*){3}\|)[^|]*/, '$1 `README.md` '),
      '164.312(b) names neither a test nor a command',
    ],
  ])('finds %s', (_what, change, problem) => {
    expect(problemsOf(change)).toContain(problem);
  });
});
