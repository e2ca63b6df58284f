import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface SourceResource {
  resourceType: string;
  id: string;
  [element: string]: unknown;
}

/** Size of each record that the sandbox serves, by its username. */
export const sourceSizes: Readonly<Record<string, number>> = {
  'chaos-small': 120,
  'chaos-middle': 400,
  'chaos-large': 1500,
};

/** Writes the R4 records into the folder that the sandbox serves. */
export function writeSourceRecords(directory: string): void {
  mkdirSync(join(directory, 'r4'), { recursive: true, mode: 0o755 });
  for (const username of Object.keys(sourceSizes))
    writeFileSync(
      join(directory, 'r4', `${username}.ndjson`),
      `${sourceRecord(username)
        .map((resource) => JSON.stringify(resource))
        .join('\n')}\n`,
    );
}

/** The record of a username: resources that reference each other, each with different content. */
export function sourceRecord(username: string): SourceResource[] {
  const size = sourceSizes[username] ?? 0;
  const subject = { reference: `Patient/${username}` };
  const shared: SourceResource[] = [
    {
      resourceType: 'Patient',
      id: username,
      name: [{ family: username }],
      gender: 'female',
      birthDate: '1971-02-28',
      managingOrganization: { reference: 'Organization/chaos' },
    },
    { resourceType: 'Organization', id: 'chaos', name: 'Chaos Clinic' },
  ];
  const encounters = Math.floor(size / 10);
  const encounter = (index: number): SourceResource => ({
    resourceType: 'Encounter',
    id: `e-${index}`,
    status: 'finished',
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
    subject,
    serviceProvider: { reference: 'Organization/chaos' },
    reasonCode: [{ text: `${username} encounter ${index}` }],
  });
  const observation = (index: number): SourceResource => ({
    resourceType: 'Observation',
    id: `o-${index}`,
    status: 'final',
    subject,
    encounter: { reference: `Encounter/e-${index % encounters}` },
    code: { coding: [{ system: 'http://loinc.org', code: '8302-2' }] },
    note: [{ text: `${username} observation ${index}` }],
    effectiveDateTime: '2020-01-15',
    valueQuantity: { value: index + 0.5, unit: 'cm', system: 'http://unitsofmeasure.org', code: 'cm' },
  });
  const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
    Array.from({ length: count }, (_, index) => make(index));
  return [...shared, ...many(encounters, encounter), ...many(size - shared.length - encounters, observation)];
}
