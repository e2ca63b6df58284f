import { Findings } from '../findings';
import { compareRecords } from './compare-records';
import { sourceRecord } from './source-records';

const source = sourceRecord('chaos-small');
const stored = source
  .map(
    (resource) =>
      JSON.parse(
        JSON.stringify(resource).replace(/"(Patient|Encounter|Organization)\/([\w-]+)"/g, '"$1/new-$2"'),
      ) as (typeof source)[number],
  )
  .map((resource) => ({ ...resource, id: `new-${resource.id}`, meta: { versionId: '1' } }));

function kinds(records: typeof source): string[] {
  const findings = new Findings();
  compareRecords('chaos-small', source, records, 'falsely complete', findings);
  return findings.all().map(({ kind }) => kind);
}

it('ignores ids and order', () => {
  expect(kinds([...stored].reverse())).toEqual([]);
});

it('finds missing and duplicated resources and dangling references', () => {
  expect(kinds(stored.slice(0, -1))).toEqual(['falsely complete']);
  expect(kinds([...stored, { ...stored.at(-1)!, id: 'another' }])).toEqual(['duplicated']);
  expect(
    kinds(
      stored.map((resource) =>
        resource.resourceType === 'Encounter' ? { ...resource, id: `gone-${resource.id}` } : resource,
      ),
    ),
  ).toEqual(['falsely complete']);
});
