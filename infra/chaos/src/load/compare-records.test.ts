import { Findings } from '../report/finding';
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

it('takes a record with other ids, in another order, for the same', () => {
  expect(kinds([...stored].reverse())).toEqual([]);
});

it('sees a resource that is missing, one that is there twice, and a reference that leads nowhere', () => {
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
