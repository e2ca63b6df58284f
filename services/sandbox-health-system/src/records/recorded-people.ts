import type { Release } from '../releases';
import { StoredRecord, type PatientRecord } from './patient-record';
import type { Person } from './person';
import { readRecordFile, recordFilesIn, type RecordFile } from './record-files';
import { isSharedFile, SharedResources } from './shared-resources';
import { storedResource, type StoredResource } from './stored-resource';
import { installedResources, resourcesOfBundle } from './transaction-bundle';
import { isTypeFile, peopleOfTypeFiles } from './type-files';

/**
 * The people of a records directory: one person per file name, with a record in each release that has a file of this
 * name.
 */
export async function recordedPeople(directory: string): Promise<Person[]> {
  const files = recordFilesIn(directory);
  if (files.length === 0) throw new Error(`the records directory ${directory} holds no NDJSON file and no Bundle`);
  const shared = new SharedResources(files.filter(isSharedFile));
  const own = files.filter((file) => !isSharedFile(file));
  const typeFiles = own.filter(isTypeFile);
  const byUsername = new Map<string, RecordFile[]>();
  for (const file of own) {
    if (typeFiles.includes(file)) continue;
    const username = usernameOf(file.stem);
    byUsername.set(username, [...(byUsername.get(username) ?? []), file]);
  }
  const people = [...byUsername].map(([username, theirs]) => personOfFiles(username, theirs, shared));
  const all = [...people, ...(await peopleOfTypeFiles(typeFiles))];
  if (all.length === 0) throw new Error(`the records directory ${directory} holds no Patient`);
  return all;
}

/** `+` and spaces separate a username from the scenarios that follow it. */
function usernameOf(name: string): string {
  return name.trim().replace(/[+\s]+/g, '-');
}

function personOfFiles(username: string, files: RecordFile[], shared: SharedResources): Person {
  const loading = new Map<Release, Promise<PatientRecord>>();
  return {
    username,
    releases: files.map((file) => file.release),
    record(release) {
      const file = files.find((candidate) => candidate.release === release);
      if (!file) return Promise.resolve(undefined);
      const record = loading.get(release) ?? loadRecord(file, shared);
      loading.set(release, record);
      return record;
    },
  };
}

async function loadRecord(file: RecordFile, shared: SharedResources): Promise<PatientRecord> {
  const { text, writtenAt } = await readRecordFile(file);
  if (file.kind === 'ndjson') return new StoredRecord(resourcesOf(file, text.split('\n'), writtenAt));
  const elsewhere = await shared.of(file.release);
  const installed = installedResources(resourcesOfBundle(text), (link) => elsewhere.resolve(link));
  const own = resourcesOf(file, installed, writtenAt);
  return new StoredRecord([...own, ...elsewhere.referredToBy(own)]);
}

function resourcesOf(file: RecordFile, texts: string[], writtenAt: number): StoredResource[] {
  return texts.flatMap((text, index) => {
    const resource = storedResource(text, writtenAt);
    if (!resource && text.trim() !== '')
      console.warn(`${file.path}: resource ${index + 1} cannot be read and is left out`);
    return resource ?? [];
  });
}
