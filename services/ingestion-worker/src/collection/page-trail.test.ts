import { PageTrail } from './page-trail';
import type { SearchsetPage } from './searchset';

const page = (...keys: string[]): SearchsetPage => ({
  resources: keys.map((key) => ({ key, line: '{}' })),
  warnings: [],
  unreadable: 0,
  next: 'more',
});

describe('PageTrail', () => {
  it('knows the addresses that were read', () => {
    const trail = new PageTrail();
    trail.note('https://a/1', page('Observation/1'));
    expect(trail.hasRead('https://a/1')).toBe(true);
    expect(trail.hasRead('https://a/2')).toBe(false);
  });

  it('finds the same page under a new address', () => {
    const trail = new PageTrail();
    expect(trail.note('https://a/1', page('Observation/1', 'Observation/2'))).toBeUndefined();
    expect(trail.note('https://a/2', page('Observation/3'))).toBeUndefined();
    expect(trail.note('https://a/3', page('Observation/1', 'Observation/2'))).toContain('circle');
  });

  it('bears some empty pages, and not for ever', () => {
    const trail = new PageTrail();
    const reasons = Array.from({ length: 30 }, (_x, index) => trail.note(`https://a/${index}`, page()));
    expect(reasons[10]).toBeUndefined();
    expect(reasons[25]).toContain('empty');
  });
});
