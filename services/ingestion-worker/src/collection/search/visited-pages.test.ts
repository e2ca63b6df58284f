import { VisitedPages } from './visited-pages';
import type { SearchsetPage } from '../../health-system/searchset';

const page = (...keys: string[]): SearchsetPage => ({
  resources: keys.map((key) => ({ key, json: '{}' })),
  warnings: [],
  unreadable: 0,
  next: 'more',
});

describe('VisitedPages', () => {
  it('returns whether a URL was read', () => {
    const visited = new VisitedPages();
    visited.add('https://a/1', page('Observation/1'));
    expect(visited.has('https://a/1')).toBe(true);
    expect(visited.has('https://a/2')).toBe(false);
  });

  it('detects the same page under a new URL', () => {
    const visited = new VisitedPages();
    expect(visited.add('https://a/1', page('Observation/1', 'Observation/2'))).toBeUndefined();
    expect(visited.add('https://a/2', page('Observation/3'))).toBeUndefined();
    expect(visited.add('https://a/3', page('Observation/1', 'Observation/2'))).toContain('circle');
  });

  it('accepts some empty pages in a row, then stops', () => {
    const visited = new VisitedPages();
    const reasons = Array.from({ length: 30 }, (_x, index) => visited.add(`https://a/${index}`, page()));
    expect(reasons[10]).toBeUndefined();
    expect(reasons[25]).toContain('empty');
  });
});
