import { generatedPeople } from '../generator/generated-people';
import { StoredRecord, type PatientRecord } from '../records/patient-record';
import type { Person } from '../records/person';
import { storedResource } from '../records/stored-resource';
import type { Release } from '../releases';
import { peopleInWords } from './person-in-words';

const today = Date.UTC(2026, 0, 15);

const person = (username: string, releases: Release[], record: () => Promise<PatientRecord>): Person => ({
  username,
  releases,
  record,
});

const recordOf = (...resources: object[]): PatientRecord =>
  new StoredRecord(resources.flatMap((resource) => storedResource(JSON.stringify(resource), today) ?? []));

async function sentence(releases: Release[], ...resources: object[]): Promise<string | undefined> {
  const somebody = person('somebody', releases, () => Promise.resolve(recordOf(...resources)));
  return (await peopleInWords([somebody], today)).get('somebody');
}

it('counts what the record holds, also after it has changed', async () => {
  const noah = generatedPeople().find(({ username }) => username === 'noah-okafor')!;
  const record = (await noah.record('r4'))!;
  const count = (type: string): number => record.list(type).length;
  const expected = (): string =>
    `Noah Okafor, 13 years, ${count('Observation')} lab results and vital signs, ${count('Encounter')} visits, ` +
    `${count('Condition')} health problems, ${count('MedicationRequest')} prescriptions, ` +
    `${count('DocumentReference')} documents, in DSTU2, STU3 and R4.`;
  expect(count('Observation')).toBeGreaterThan(20);
  expect((await peopleInWords([noah], today)).get('noah-okafor')).toBe(expected());
  record.remove!('Encounter', record.list('Encounter').at(0)!.id);
  expect((await peopleInWords([noah], today)).get('noah-okafor')).toBe(expected());
});

it.each<[string, Release[], object[], string]>([
  [
    'the official name, and one of each kind',
    ['r4'],
    [
      {
        resourceType: 'Patient',
        id: 'p',
        name: [{ given: ['Nick'] }, { use: 'official', given: ['Noah', 'B.'], family: 'Okafor' }],
        birthDate: '2016-01-16',
      },
      { resourceType: 'Encounter', id: 'e' },
      { resourceType: 'MedicationRequest', id: 'm' },
    ],
    'Noah B. Okafor, 9 years, 1 visit, 1 prescription, in R4 only.',
  ],
  [
    'DSTU2',
    ['dstu2'],
    [
      {
        resourceType: 'Patient',
        id: 'p',
        name: [{ given: ['Ana'], family: ['Ruiz', 'Gil'] }],
        birthDate: '2025-02-15',
      },
      { resourceType: 'MedicationOrder', id: 'm' },
    ],
    'Ana Ruiz Gil, 11 months, 1 prescription, in DSTU2 only.',
  ],
  [
    'somebody who has died',
    ['stu3', 'r4'],
    [
      {
        resourceType: 'Patient',
        id: 'p',
        name: [{ text: 'Olen Kulas' }],
        birthDate: '1930-05-01',
        deceasedDateTime: '1990-05-01T10:00:00Z',
      },
    ],
    'Olen Kulas, died at the age of 60 years, in STU3 and R4.',
  ],
  ['nobody', ['r4'], [], 'No name, in R4 only.'],
])('describes %s', async (_what, releases, resources, expected) => {
  expect(await sentence(releases, ...resources)).toBe(expected);
});

it('neither waits for slow records nor fails with broken ones', async () => {
  const warned = jest.spyOn(console, 'warn').mockImplementation();
  const broken = person('broken', ['r4'], () => Promise.reject(new Error('no such file')));
  const slow = person('slow', ['r4'], () => new Promise(() => undefined));
  const later = person('later', ['stu3'], () => Promise.resolve(recordOf()));
  expect([...(await peopleInWords([broken, slow, later], today))]).toEqual([
    ['broken', 'Cannot be read, in R4 only.'],
    ['slow', 'Not read yet, in R4 only.'],
    ['later', 'Not read yet, in STU3 only.'],
  ]);
  expect(warned).toHaveBeenCalledTimes(1);
  warned.mockRestore();
});
