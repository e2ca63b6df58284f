import { fallbackSearches, variantsOf } from './search-fallbacks';

/** All that is asked, one after the other, by a server that refuses everything. */
function chain(search: string): string[] {
  const asked: string[] = [];
  for (
    let fallback = fallbackSearches(search, 'r4');
    fallback;
    fallback = fallbackSearches(fallback.searches[0] ?? '', 'r4')
  )
    asked.push(fallback.searches[0] ?? '');
  return asked;
}

describe('fallbackSearches', () => {
  it('drops the date first', () => {
    expect(fallbackSearches('Immunization?patient=1&_count=500&_lastUpdated=ge2026-01-01T00%3A00%3A00Z', 'r4')).toEqual(
      {
        searches: ['Immunization?patient=1&_count=500'],
      },
    );
  });

  it('adds categories with a warning', () => {
    const fallback = fallbackSearches('Observation?patient=1&_count=500', 'r4');
    expect(fallback?.searches).toContain('Observation?patient=1&_count=500&category=laboratory');
    expect(fallback?.warning).toContain('category');
  });

  it('searches Coverage by its beneficiary', () => {
    expect(fallbackSearches('Coverage?patient=1&_count=500', 'r4')?.searches).toEqual([
      'Coverage?beneficiary=Patient%2F1&_count=500',
    ]);
  });

  it('ends when no fallback is left', () => {
    expect(chain('Observation?patient=1&_count=500&_lastUpdated=ge2026')).toEqual([
      'Observation?patient=1&_count=500',
      'Observation?patient=1&_count=500&category=vital-signs',
      'Observation?subject=Patient%2F1&_count=500&category=vital-signs',
      'Observation?subject=Patient%2F1&category=vital-signs',
    ]);
    expect(chain('Patient/1')).toEqual([]);
  });
});

describe('variantsOf', () => {
  it('adds to the query', () => {
    expect(variantsOf('Observation?patient=1', [{ category: 'a' }, { category: 'b' }])).toEqual([
      'Observation?patient=1&category=a',
      'Observation?patient=1&category=b',
    ]);
  });
});
