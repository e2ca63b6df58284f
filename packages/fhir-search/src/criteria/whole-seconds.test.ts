import fc from 'fast-check';
import type { Resource } from '@tributary/fhir-json';
import { parseSearch } from '../index';

/** Whether an observation at this time is found, and what the index row says of it: both must agree. */
function found(stored: string, search: string): boolean {
  const [criterion] = parseSearch('r4', 'Observation', [['date', search]], { strict: true }).criteria;
  return criterion?.matches({ resourceType: 'Observation', effectiveDateTime: stored } as Resource) ?? false;
}

it.each([
  ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.000Z', true],
  ['2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z', true],
  ['2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00Z', true],
  ['2020-01-01T01:00:00+01:00', '2020-01-01T00:00:00.0Z', true],
  ['2020-01-01T00:00:00.500Z', '2020-01-01T00:00:00.000Z', false],
  ['2020-01-01T00:00:01Z', '2020-01-01T00:00:00.000Z', false],
  ['2020-01-01', '2020-01-01T00:00:00.000Z', false],
  ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.500Z', false],
  ['2020-01-01T00:00:00Z', 'ne2020-01-01T00:00:00.000Z', false],
  ['2020-01-01T00:00:00.500Z', 'ne2020-01-01T00:00:00.000Z', true],
  ['2020-01-01', 'ne2020-01-01T00:00:00.000Z', true],
  ['2020-01-01T00:00:00Z', 'ge2020-01-01T00:00:00.000Z', true],
  ['2020-01-01T00:00:00Z', 'le2020-01-01T00:00:00.000Z', true],
  ['2020-01-01T00:00:00.500Z', 'le2020-01-01T00:00:00.000Z', false],
  ['2020-01-01T00:00:00.500Z', 'gt2020-01-01T00:00:00.000Z', true],
])('a time stored as %s, date=%s: %s', (stored, search, expected) => {
  expect(found(stored, search)).toBe(expected);
});

it('matches exactly one of eq and ne', () => {
  const time = fc
    .record({
      second: fc.constantFrom('00', '01', '59'),
      fraction: fc.constantFrom('', '.000', '.001', '.5', '.999'),
      to: fc.constantFrom(4, 10, 16, 99),
    })
    .map(({ second, fraction, to }) => `2020-01-01T00:00:${second}${fraction}Z`.slice(0, to) + (to === 16 ? 'Z' : ''));
  const searched = fc.constantFrom(
    '2020-01-01T00:00:00.000Z',
    '2020-01-01T00:00:01.0Z',
    '2020-01-01T00:00:00Z',
    '2020-01-01T00:00:00.5Z',
  );
  fc.assert(
    fc.property(time, searched, (stored, search) => expect(found(stored, `ne${search}`)).toBe(!found(stored, search))),
    { seed: 20260101 },
  );
});

it('holds for _lastUpdated, which is stored to the millisecond', () => {
  const condition = (search: string): unknown =>
    parseSearch('r4', 'Patient', [['_lastUpdated', search]]).criteria[0]?.condition;
  const at = Date.parse('2020-01-01T00:00:00Z');
  expect(condition('2020-01-01T00:00:00Z')).toEqual({ op: 'last-updated', ge: at, le: at + 999 });
  // The second alternative, a whole second, is none for an instant: nothing is at least its end and at most its
  // beginning.
  expect(condition('2020-01-01T00:00:00.000Z')).toEqual({
    op: 'or',
    of: [
      { op: 'last-updated', ge: at, le: at },
      { op: 'last-updated', ge: at + 999, le: at },
    ],
  });
});
