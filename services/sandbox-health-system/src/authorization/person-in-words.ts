import { setTimeout } from 'node:timers/promises';
import type { PatientRecord } from '../records/patient-record';
import type { Person } from '../records/person';
import { releases } from '../releases';

/** How long a page waits for records that were not read before, in milliseconds. */
const patience = 1_000;

/** What is counted, and the types that hold it: DSTU2 has another one for prescriptions. */
const counted: { types: string[]; one: string; many: string }[] = [
  { types: ['Observation'], one: 'lab result or vital sign', many: 'lab results and vital signs' },
  { types: ['Encounter'], one: 'visit', many: 'visits' },
  { types: ['Condition'], one: 'health problem', many: 'health problems' },
  { types: ['MedicationRequest', 'MedicationOrder'], one: 'prescription', many: 'prescriptions' },
  { types: ['DocumentReference'], one: 'document', many: 'documents' },
];

const listOf = new Intl.ListFormat('en-GB');

/** The elements of a Patient that are described, in each release. */
interface PatientElements {
  name?: { text?: string; use?: string; given?: string[]; family?: string | string[] }[];
  birthDate?: string;
  deceasedDateTime?: string;
}

/**
 * A sentence about each person, by username: who it is, and how much the newest record holds. Records are read one
 * after another and kept, so that only the first page waits; it does not wait for all. @param now epoch milliseconds
 */
export async function peopleInWords(people: Person[], now: number): Promise<Map<string, string>> {
  const sentences = new Map<string, string>();
  const say = ({ username, releases }: Person, what: string): void => {
    const names = listOf.format(releases.map((release) => release.toUpperCase()));
    sentences.set(username, `${what}, in ${names}${releases.length === 1 ? ' only' : ''}.`);
  };
  for (const person of people) say(person, 'Not read yet');
  const readAll = async (): Promise<void> => {
    for (const person of people) {
      const newest = releases.findLast((release) => person.releases.includes(release))!;
      const record = await person.record(newest).catch((error: unknown) => {
        console.warn(`the record of ${person.username} cannot be read:`, error);
        return undefined;
      });
      say(person, record ? recordInWords(record, now) : 'Cannot be read');
    }
  };
  await Promise.race([readAll(), setTimeout(patience, undefined, { ref: false })]);
  return sentences;
}

function recordInWords(record: PatientRecord, now: number): string {
  const patient = JSON.parse(record.read('Patient', record.patientId)?.text ?? '{}') as PatientElements;
  const counts = counted.map(({ types, one, many }) => {
    const count = types.reduce((sum, type) => sum + record.list(type).length, 0);
    return count === 0 ? undefined : `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
  });
  const parts = [nameOf(patient), ageOf(patient, now), ...counts].filter((part) => part !== undefined);
  return parts.length === 0 ? 'No name' : parts.join(', ');
}

function nameOf({ name = [] }: PatientElements): string | undefined {
  const { text, given = [], family = [] } = name.find(({ use }) => use === 'official') ?? name[0] ?? {};
  const whole = text ?? [...given, family].flat().join(' ');
  return whole === '' ? undefined : whole;
}

function ageOf({ birthDate, deceasedDateTime }: PatientElements, now: number): string | undefined {
  const born = new Date(birthDate ?? '');
  const at = new Date(deceasedDateTime ?? now);
  const months =
    (at.getUTCFullYear() - born.getUTCFullYear()) * 12 +
    (at.getUTCMonth() - born.getUTCMonth()) -
    (at.getUTCDate() < born.getUTCDate() ? 1 : 0);
  if (Number.isNaN(months)) return undefined;
  const [count, unit] = months < 24 ? [months, 'month'] : [Math.floor(months / 12), 'year'];
  const age = new Intl.NumberFormat('en', { style: 'unit', unit: String(unit), unitDisplay: 'long' }).format(count);
  return deceasedDateTime === undefined ? age : `died at the age of ${age}`;
}
