import type { PatientRecord } from '../records/patient-record';
import type { StoredResource } from '../records/stored-resource';
import type { Matches } from './search';

/** One page of the whole record, ordered by type. */
export function everythingOf(record: PatientRecord, offset: number, count: number): Matches {
  const lists = record
    .types()
    .filter(({ searchable }) => searchable)
    .map(({ type }) => record.list(type));
  const resources: StoredResource[] = [];
  let before = 0;
  for (const list of lists) {
    for (let index = Math.max(0, offset - before); index < list.length && resources.length < count; index += 1)
      resources.push(list.at(index)!);
    before += list.length;
  }
  return { resources, total: before };
}
