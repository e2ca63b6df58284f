import type { HealthSystemEndpoint } from '@tributary/contracts';
import { type Candidate, mergePerReleaseEntries, mergeAddresses } from './merge-entries';

const dstu2: HealthSystemEndpoint = { fhirVersion: 'dstu2', fhir_base_url: 'https://fhir.example.org/dstu2' };
const r4: HealthSystemEndpoint = { fhirVersion: 'r4', fhir_base_url: 'https://FHIR.example.org/r4' };

function candidate(key: string, endpoints: HealthSystemEndpoint[], postalCode?: string): Candidate {
  return {
    keys: [key],
    sortKey: 'saint lukes',
    entry: {
      name: 'St. Lukes',
      address: postalCode ?? '',
      aliases: [key],
      addresses: postalCode === undefined ? [] : [{ postalCode }],
      parents: [],
      portals: [],
      endpoints,
    },
  };
}

describe('mergePerReleaseEntries', () => {
  it('merges the entries of a system that is published once per release', () => {
    const [joined, ...rest] = mergePerReleaseEntries([candidate('a', [dstu2]), candidate('b', [r4], '10014')]);
    expect(rest).toEqual([]);
    expect(joined).toMatchObject({ keys: ['a', 'b'], entry: { address: '10014', endpoints: [dstu2, r4] } });
  });

  it.each([
    ['https://fhir.example.org/proxy/api/FHIR/DSTU2/', 'https://fhir.example.org/proxy/api/fhir/R4'],
    ['https://fhir.example.org/dstu2/tenant-7', 'https://fhir.example.org/r4/tenant-7/'],
    ['https://fhir.example.org/v1/argonaut/v1', 'https://fhir.example.org/v2/argonaut/v1'],
    ['https://fhir.example.org/fhir-api/fhir/dstu2/', 'https://fhir.example.org/fhir-api-r4/fhir/r4/'],
    ['https://fhir.example.org/fhir-1.0.2', 'https://fhir.example.org/fhir-4.0.1'],
  ])('merges %s and %s in either order', (one, other) => {
    const [old, recent] = [
      candidate('a', [{ ...dstu2, fhir_base_url: one }]),
      candidate('b', [{ ...r4, fhir_base_url: other }]),
    ];
    expect(mergePerReleaseEntries([old, recent])).toHaveLength(1);
    expect(mergePerReleaseEntries([recent, old])).toEqual(mergePerReleaseEntries([old, recent]));
  });

  it.each<[string, Candidate, Candidate]>([
    ['the same release', candidate('a', [r4]), candidate('b', [r4])],
    ['a release in common', candidate('a', [dstu2, r4]), candidate('b', [r4])],
    ['different addresses', candidate('a', [dstu2], '10014'), candidate('b', [r4], '43215')],
    [
      'different tenants of one host',
      candidate('a', [{ ...dstu2, fhir_base_url: 'https://fhir.example.org/dstu2/17' }]),
      candidate('b', [{ ...r4, fhir_base_url: 'https://fhir.example.org/r4/18' }]),
    ],
    [
      'different hosts',
      candidate('a', [dstu2]),
      candidate('b', [{ ...r4, fhir_base_url: 'https://other.example.org/r4' }]),
    ],
  ])('does not merge entries of one name with %s', (_case, one, other) => {
    expect(mergePerReleaseEntries([one, other])).toEqual([one, other]);
  });
});

describe('mergeAddresses', () => {
  it('makes one entry of rows with the same endpoints, in any order', () => {
    const rows = [
      candidate('a', [r4], '43215'),
      candidate('b', [r4], '10014'),
      candidate('c', [r4]),
      candidate('d', [r4], '10014'),
      candidate('e', [dstu2], '10014'),
    ];
    const [merged, other, ...rest] = mergeAddresses(rows);
    expect(rest).toEqual([]);
    expect(other).toEqual(rows[4]);
    expect(merged).toMatchObject({
      keys: ['a', 'b', 'c', 'd'],
      entry: { address: '10014 and 1 more place', addresses: [{ postalCode: '10014' }, { postalCode: '43215' }] },
    });
    const [again] = mergeAddresses(rows.slice(0, 4).reverse());
    expect(again!.entry.address).toBe(merged!.entry.address);
    expect(again!.entry.addresses).toEqual(merged!.entry.addresses);
  });

  it('keeps addresses that the releases have in common, for the merge per release', () => {
    const merged = mergeAddresses(
      ['43215', '10014'].flatMap((zip, index) => [
        candidate(`d${index}`, [dstu2], zip),
        candidate(`r${index}`, [r4], zip),
      ]),
    );
    expect(mergePerReleaseEntries(merged)).toMatchObject([
      { keys: ['d0', 'd1', 'r0', 'r1'], entry: { address: '10014 and 1 more place', endpoints: [dstu2, r4] } },
    ]);
  });
});
