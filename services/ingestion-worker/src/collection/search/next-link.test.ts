import { nextLink } from './next-link';

const base = 'https://fhir.example.org/api/FHIR/R4/';
const page = 'https://fhir.example.org/api/FHIR/R4/Observation?patient=1&_count=50';

describe('nextLink', () => {
  it.each([
    [
      'absolute',
      'https://fhir.example.org/api/FHIR/R4/Observation?page=2',
      'https://fhir.example.org/api/FHIR/R4/Observation?page=2',
    ],
    ['only a query', '?page=2', 'https://fhir.example.org/api/FHIR/R4/Observation?page=2'],
    ['relative', 'Observation?page=2', 'https://fhir.example.org/api/FHIR/R4/Observation?page=2'],
    ['from the root', '/api/FHIR/R4?_getpages=7', 'https://fhir.example.org/api/FHIR/R4?_getpages=7'],
    [
      'without a scheme',
      '//fhir.example.org/api/FHIR/R4/Observation?page=2',
      'https://fhir.example.org/api/FHIR/R4/Observation?page=2',
    ],
    [
      'host without a scheme',
      'fhir.example.org/api/FHIR/R4/Observation?page=2',
      'https://fhir.example.org/api/FHIR/R4/Observation?page=2',
    ],
    [
      'http behind a proxy',
      'http://fhir.example.org/api/FHIR/R4/Observation?page=2',
      'https://fhir.example.org/api/FHIR/R4/Observation?page=2',
    ],
    [
      'an internal host',
      'http://ehr-int-04.local:8080/api/FHIR/R4/Observation?page=2',
      'https://fhir.example.org/api/FHIR/R4/Observation?page=2',
    ],
    [
      'a port written out',
      'https://fhir.example.org:443/api/FHIR/R4/Observation?page=2',
      'https://fhir.example.org/api/FHIR/R4/Observation?page=2',
    ],
    [
      'a port written twice',
      'https://fhir.example.org:443:443/api/FHIR/R4/Observation?page=2',
      'https://fhir.example.org/api/FHIR/R4/Observation?page=2',
    ],
    [
      'very long',
      `https://fhir.example.org/api/FHIR/R4/Observation?page=${'x'.repeat(4000)}`,
      `https://fhir.example.org/api/FHIR/R4/Observation?page=${'x'.repeat(4000)}`,
    ],
  ])('%s', (_name, link, url) => {
    expect(nextLink(link, page, base, () => false)).toEqual({ kind: 'page', url });
  });

  it('takes a relative link to start from the base where that makes sense only', () => {
    const later = 'https://fhir.example.org/api/FHIR/R4?_getpages=1';
    expect(nextLink('../R4?_getpages=2', later, base, () => false)).toEqual({
      kind: 'page',
      url: 'https://fhir.example.org/api/FHIR/R4?_getpages=2',
    });
    expect(nextLink('Observation?page=2', later, base, () => false)).toEqual({
      kind: 'page',
      url: 'https://fhir.example.org/api/FHIR/R4/Observation?page=2',
    });
    expect(nextLink('/paging?page=2', later, base, () => false)).toEqual({
      kind: 'page',
      url: 'https://fhir.example.org/paging?page=2',
    });
  });

  it('ends without a link', () => {
    expect(nextLink(undefined, page, base, () => false)).toEqual({ kind: 'end' });
    expect(nextLink(' ', page, base, () => false)).toEqual({ kind: 'end' });
  });

  it('stops at another system, at itself and in a loop, with a reason', () => {
    expect(nextLink('https://evil.example.com/collect', page, base, () => false).kind).toBe('stop');
    expect(nextLink(page, page, base, () => false).kind).toBe('stop');
    expect(nextLink('?page=2', page, base, (url) => url.endsWith('page=2')).kind).toBe('stop');
    expect(nextLink('http://[broken', page, base, () => false).kind).toBe('stop');
  });
});
