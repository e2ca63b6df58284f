import type { PatientRecord, ResourceList } from '../records/patient-record';
import type { StoredResource } from '../records/stored-resource';
import { FhirProblem } from './operation-outcome';
import { matchesLastUpdated, matchesToken, resultParameters, searchParameters } from './search-parameters';

const defaultCount = 100;
const maxCount = 1000;

/** One page of the matches of a search. */
export interface Matches {
  resources: StoredResource[];
  total: number;
}

/** The number of entries of a page, from `_count`. */
export function pageSize(parameters: URLSearchParams): number {
  const requested = parameters.get('_count');
  if (requested === null) return defaultCount;
  if (!/^\d+$/.test(requested)) throw new FhirProblem(400, 'invalid', '_count has to be a number');
  return Math.min(Number(requested) || defaultCount, maxCount);
}

/** Searches one type of a record. @param patientIds the ids of the patient in all releases */
export function searchRecord(
  record: PatientRecord,
  type: string,
  parameters: URLSearchParams,
  patientIds: string[],
  offset: number,
  count: number,
): Matches {
  const filters = [...parameters].filter(([name]) => !resultParameters.has(name));
  if (asksForSomeoneElse(filters, patientIds)) return { resources: [], total: 0 };
  const ids = parameters.getAll('_id');
  const candidates: ResourceList = ids.length > 0 ? withIds(record, type, ids, patientIds) : record.list(type);
  const times = parameters.getAll('_lastUpdated');
  const conditions = filters.flatMap(([name, value]) => conditionOf(name, value) ?? []);
  if (times.some((requested) => matchesLastUpdated(requested, 0) === undefined))
    throw new FhirProblem(400, 'invalid', '_lastUpdated is not a date');
  if (conditions.length === 0 && times.length === 0)
    return { resources: slice(candidates, offset, count), total: candidates.length };
  const matching: StoredResource[] = [];
  for (let index = 0; index < candidates.length; index += 1) {
    const lastUpdated = candidates.lastUpdated?.(index) ?? candidates.at(index)!.lastUpdated;
    if (!times.every((requested) => matchesLastUpdated(requested, lastUpdated))) continue;
    const resource = candidates.at(index)!;
    if (conditions.every((condition) => condition(resource))) matching.push(resource);
  }
  return { resources: matching.slice(offset, offset + count), total: matching.length };
}

type Condition = (resource: StoredResource) => boolean;

/**
 * The condition of a parameter; unknown parameters are ignored, the default of FHIR
 * (https://hl7.org/fhir/R4/search.html#errors).
 */
function conditionOf(name: string, value: string): Condition | undefined {
  if (searchParameters.get(name) !== 'token' || name === '_id') return undefined;
  return (resource) => matchesToken(name, value, JSON.parse(resource.text) as Record<string, unknown>);
}

function asksForSomeoneElse(filters: [string, string][], patientIds: string[]): boolean {
  const people = filters.filter(([name]) =>
    ['patient', 'subject', 'patient:Patient', 'subject:Patient'].includes(name),
  );
  return people.some(
    ([, value]) => !value.split(',').some((reference) => patientIds.includes(reference.replace(/^.*Patient\//, ''))),
  );
}

function withIds(record: PatientRecord, type: string, requested: string[], patientIds: string[]): StoredResource[] {
  const requestedIds = requested
    .map((value) => value.split(','))
    .reduce((left, right) => left.filter((id) => right.includes(id)));
  const found = requestedIds.flatMap(
    (id) =>
      record.read(type, id) ??
      (type === 'Patient' && patientIds.includes(id) ? record.read(type, record.patientId) : undefined) ??
      [],
  );
  return [...new Set(found)];
}

function slice(list: ResourceList, offset: number, count: number): StoredResource[] {
  const page: StoredResource[] = [];
  for (let index = offset; index < Math.min(offset + count, list.length); index += 1) page.push(list.at(index)!);
  return page;
}
