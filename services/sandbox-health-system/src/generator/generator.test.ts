import { createHash } from 'node:crypto';
import { parseJson, type Resource } from '@tributary/fhir-json';
import { validateResource } from '@tributary/fhir-validation';
import type { PatientRecord } from '../records/patient-record';
import { referencesIn } from '../records/references';
import { releases, type Release } from '../releases';
import { generatedPeople, generatedPerson } from './generated-people';

const specified = (release: Release): string[] => [
  'Patient',
  'Observation',
  'Condition',
  'AllergyIntolerance',
  'Procedure',
  release === 'dstu2' ? 'MedicationOrder' : 'MedicationRequest',
  'MedicationStatement',
  'Immunization',
  'DiagnosticReport',
  'RelatedPerson',
  'Encounter',
  'DocumentReference',
];

function textsOf(record: PatientRecord): string[] {
  return record.types().flatMap(({ type }) => {
    const list = record.list(type);
    return Array.from({ length: list.length }, (_none, index) => list.at(index)!.text);
  });
}

describe.each(releases)('generated people in %s', (release) => {
  it('have several hundred resources of all the specified types, and every reference resolves', async () => {
    const people = generatedPeople();
    expect(people.length).toBeGreaterThanOrEqual(4);
    for (const person of people) {
      const record = (await person.record(release))!;
      const texts = textsOf(record);
      expect(texts.length).toBeGreaterThan(300);
      for (const type of specified(release)) expect([type, record.list(type).length > 0]).toEqual([type, true]);
      const dangling = texts
        .flatMap(referencesIn)
        .filter((reference) => !record.read(...(reference.split('/') as [string, string])));
      expect(dangling).toEqual([]);
    }
  });

  it('are valid', async () => {
    const records = await Promise.all(
      [...generatedPeople().map(({ username }) => username), 'load-200', 'person-3'].map((username) =>
        generatedPerson(username)!.record(release),
      ),
    );
    for (const text of records.flatMap((record) => textsOf(record!))) {
      const issues = validateResource(release, parseJson(text) as Resource).filter(
        ({ severity }) => severity !== 'warning' && severity !== 'information',
      );
      expect([text, issues]).toEqual([text, []]);
    }
  });

  it('have exactly the requested number of resources, which are generated when they are read', async () => {
    const record = (await generatedPerson('load-5000')!.record(release))!;
    const found = new Set(
      textsOf(record).flatMap((text) => {
        const { resourceType, id } = JSON.parse(text) as { resourceType: string; id: string };
        return `${resourceType}/${id}`;
      }),
    );
    const open = textsOf(record).flatMap(referencesIn);
    for (const reference of open) if (record.read(...(reference.split('/') as [string, string]))) found.add(reference);
    expect(found.size).toBe(5000);
    expect(open.every((reference) => found.has(reference))).toBe(true);
    const last = record.list('Observation').at(record.list('Observation').length - 1)!;
    expect(record.read('Observation', last.id)!.text).toBe(last.text);
    expect(record.read('Observation', 'observation-999999')).toBeUndefined();
  });
});

it('makes the same people on every machine', async () => {
  const record = (await generatedPerson('amelia-hart')!.record('r4'))!;
  expect(createHash('sha256').update(textsOf(record).join('\n')).digest('hex')).toMatchInlineSnapshot(
    `"bb706f210c7c23285de526294577db1fadfc1fcf4b226f37dbfd295ff5e66213"`,
  );
});

it('generates a person for each number, and none for other names', async () => {
  expect((await generatedPerson('person-1')!.record('r4'))!.patientId).not.toBe(
    (await generatedPerson('person-2')!.record('r4'))!.patientId,
  );
  for (const name of ['person-0', 'person-x', 'load-3', 'load-99999999', 'nobody'])
    expect(generatedPerson(name)).toBeUndefined();
});
