import { type Person, isOtherPerson, personOf, releasesNewestFirst, wordsOfName } from '@tributary/contracts';
import { type Found, readAll } from './read-all';
import type { PatientReference, RecordApi } from './record-api';
import { ToolError } from './tool-error';

/** A person of the record, with all Patients that are this person. */
interface RecordPerson {
  /** Such as `Amelia Hart, born 1984-03-09`. */
  label: string;
  patients: Patient[];
}

interface Patient extends PatientReference {
  reference: string;
  person: Person;
}

/** Patients that are read of each release. */
const maxPatients = 100;

/**
 * Narrows the searches of a call to one person. With one person in the record, everything is of this person.
 * @param patient a name, or the reference of a Patient
 * @returns what the answer has to say of it
 * @throws ToolError that asks for the person when there are several and none, or no single one, is named
 */
export async function narrowToPerson(api: RecordApi, patient: string | undefined): Promise<string[]> {
  const people = await readPeople(api);
  const named = patient === undefined ? people : people.filter((each) => isNamed(each, patient));
  const [person] = named;
  if (named.length > 1) throw new ToolError(`The record has several people. ${question(people)}`);
  if (!person && patient !== undefined)
    throw new ToolError(
      people.length === 0
        ? 'The record has no Patient yet: leave patient out.'
        : `The record has no person of this name or reference. ${question(people)}`,
    );
  if (!person || people.length === 1) return [];
  api.narrowTo(person.patients);
  return [`The record has several people. This answer is about ${person.label} only.`];
}

/** The people of the record, in the order of the releases, newest first. */
async function readPeople(api: RecordApi): Promise<RecordPerson[]> {
  const { readings } = await readAll(
    api,
    releasesNewestFirst.map((release) => ({ release, type: 'Patient', query: '' })),
    maxPatients,
    (page) => page.map(patientOf),
  );
  const patients = readings.flatMap(({ items }) => items);
  const people: Patient[][] = [];
  // A Patient of whom nothing is known is like everybody, and would join two people.
  for (const patient of [...patients.filter(isKnown), ...patients.filter((each) => !isKnown(each))]) {
    const same = people.find((group) => group.some(({ person }) => !isOtherPerson(person, patient.person)));
    if (same && (isKnown(patient) || people.length === 1)) same.push(patient);
    else people.push([patient]);
  }
  return people.map((group) => {
    const [first] = group;
    const { name = 'unnamed', birthDate } = first!.person;
    return { label: birthDate === undefined ? name : `${name}, born ${birthDate}`, patients: group };
  });
}

function patientOf({ resource, release, reference }: Found): Patient {
  return { release, reference, id: reference.split('/')[2]!, person: personOf(resource) };
}

function isKnown({ person }: Patient): boolean {
  return person.birthDate !== undefined || person.names.length > 0;
}

function isNamed({ label, patients }: RecordPerson, wanted: string): boolean {
  const words = wordsOfName(wanted);
  const known = new Set(wordsOfName(label));
  return (
    patients.some(({ reference }) => reference === wanted || reference.endsWith(`/${wanted}`)) ||
    (words.length > 0 && words.every((word) => known.has(word)))
  );
}

function question(people: readonly RecordPerson[]): string {
  const listed = people.map(({ label, patients }) => `- ${label}: patient "${patients[0]!.reference}"`);
  return [
    'Call again with patient for one of them, and ask the user when it is not clear whom the question is about:',
    ...listed,
  ].join('\n');
}
