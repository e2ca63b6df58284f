import type { Release } from '../releases';
import { StoredRecord, type PatientRecord } from './patient-record';
import type { Person } from './person';
import { readRecordFile, type RecordFile } from './record-files';
import { referencesIn } from './references';
import { SharedSet } from './shared-resources';
import { storedResource, type StoredResource } from './stored-resource';

const typeStem = /^[A-Z][A-Za-z]+(\.\d+)?$/;

/**
 * Bulk exports, those of Synthea included, write one file per type with the resources of all patients:
 * `Patient.ndjson`, `Observation.000.ndjson`. Such files are recognized by a `Patient` file in the same directory.
 */
export function isTypeFile(file: RecordFile, _index: number, all: RecordFile[]): boolean {
  if (file.kind !== 'ndjson' || !typeStem.test(file.stem)) return false;
  return all.some(
    (other) => other.release === file.release && other.kind === 'ndjson' && /^Patient(\.\d+)?$/.test(other.stem),
  );
}

/**
 * The people of such files; the username is the id of the Patient. The other types are read when a record is first
 * read.
 * @throws Error that names the line when a Patient cannot be read
 */
export async function peopleOfTypeFiles(files: RecordFile[]): Promise<Person[]> {
  const pools = new Map<Release, Promise<Map<string, PatientRecord>>>();
  const poolOf = (release: Release): Promise<Map<string, PatientRecord>> => {
    const pool = pools.get(release) ?? readPool(files.filter((file) => file.release === release));
    pools.set(release, pool);
    return pool;
  };
  return [...(await patientReleases(files))].map(([id, releases]) => ({
    username: id,
    releases,
    record: async (release) => (releases.includes(release) ? (await poolOf(release)).get(id) : undefined),
  }));
}

async function patientReleases(files: RecordFile[]): Promise<Map<string, Release[]>> {
  const found = new Map<string, Release[]>();
  for (const file of files.filter(({ stem }) => /^Patient(\.\d+)?$/.test(stem))) {
    const { text, writtenAt } = await readRecordFile(file);
    for (const [index, line] of text.split('\n').entries()) {
      if (line.trim() === '') continue;
      const id = storedResource(line, writtenAt)?.id;
      if (id === undefined) throw new Error(`${file.path}, line ${index + 1}: this is no FHIR resource in JSON`);
      found.set(id, [...(found.get(id) ?? []), file.release]);
    }
  }
  return found;
}

/**
 * Assigns the resources of all files to the patients that they refer to; a resource without such a reference is shared
 * by all.
 */
async function readPool(files: RecordFile[]): Promise<Map<string, PatientRecord>> {
  const resources = (await Promise.all(files.map(resourcesOf))).flat();
  const own = new Map<string, StoredResource[]>(
    resources.filter(({ type }) => type === 'Patient').map((patient) => [patient.id, [patient]]),
  );
  const shared: StoredResource[] = [];
  for (const resource of resources) {
    if (resource.type === 'Patient') continue;
    const patient = referencesIn(resource.text).find(
      (reference) => reference.startsWith('Patient/') && own.has(reference.slice(8)),
    );
    if (patient) own.get(patient.slice(8))!.push(resource);
    else shared.push(resource);
  }
  const set = new SharedSet(shared);
  return new Map([...own].map(([id, theirs]) => [id, new StoredRecord([...theirs, ...set.referredToBy(theirs)])]));
}

async function resourcesOf(file: RecordFile): Promise<StoredResource[]> {
  const { text, writtenAt } = await readRecordFile(file);
  return text.split('\n').flatMap((line) => storedResource(line, writtenAt) ?? []);
}
