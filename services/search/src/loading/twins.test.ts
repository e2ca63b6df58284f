import type { HealthSystemEndpoint } from '@tributary/contracts';
import { type Candidate, joinTwins } from './twins';

const dstu2: HealthSystemEndpoint = { fhirVersion: 'dstu2', fhir_base_url: 'https://fhir.example.org/dstu2' };
const r4: HealthSystemEndpoint = { fhirVersion: 'r4', fhir_base_url: 'https://FHIR.example.org/r4' };

function candidate(key: string, endpoints: HealthSystemEndpoint[], postalCode?: string): Candidate {
  return { names: [key], sortKey: 'saint lukes', entry: { name: 'St. Lukes', address: postalCode ?? '', aliases: [key], places: postalCode === undefined ? [] : [{ postalCode }], parents: [], portals: [], endpoints } };
}

describe('joinTwins', () => {
  it('makes one entry of a system published once for each release', () => {
    const [joined, ...rest] = joinTwins([candidate('a', [dstu2]), candidate('b', [r4], '10014')]);
    expect(rest).toEqual([]);
    expect(joined).toMatchObject({ names: ['a', 'b'], entry: { address: '10014', endpoints: [dstu2, r4] } });
  });

  it.each<[string, Candidate, Candidate]>([
    ['the same release', candidate('a', [r4]), candidate('b', [r4])],
    ['a release in common', candidate('a', [dstu2, r4]), candidate('b', [r4])],
    ['different addresses', candidate('a', [dstu2], '10014'), candidate('b', [r4], '43215')],
    ['different hosts', candidate('a', [dstu2]), candidate('b', [{ ...r4, fhir_base_url: 'https://other.example.org/r4' }])],
  ])('keeps apart namesakes with %s', (_case, one, other) => {
    expect(joinTwins([one, other])).toEqual([one, other]);
  });
});
