import type { Release } from '@tributary/fhir-definitions';
import { type Resource, parseJson, stringifyJson } from '@tributary/fhir-json';
import { SearchError, compartmentCriterion, elementNames, keepElements } from '@tributary/fhir-search';
import { type TypeCode, releaseOfCode, typeOfCode } from '@tributary/record-storage';
import type { LineSelection } from './line-selection';
import { UnusableTypeFilter, readTypeFilter, typeFilterTest } from './type-filter';

/** Maps a line, without its line break, to the line to send; undefined leaves the line out. */
export type LineFilter = (line: Buffer) => Buffer | undefined;

/** The same for a line of the record of a user. */
export type UserLineFilter = (line: Buffer, userId: number) => Buffer | undefined;

/**
 * The filter of the lines of a type code; undefined when it would change nothing, as with elements of other types only.
 * @param at the snapshot, in epoch milliseconds: searches relative to the current time use it, so that the bytes of a
 * file are the same each time
 * @throws SearchError when the release lacks the search of a `_typeFilter`
 */
export function lineFilter(typeCode: TypeCode, selection: LineSelection, at: number): LineFilter | undefined {
  const release = releaseOfCode(typeCode);
  const type = typeOfCode(typeCode);
  const ofPatients = selection.patients && compartmentTest(release, type, selection.patients);
  const searches = (selection.typeFilters ?? []).map(readTypeFilter).filter((filter) => filter?.type === type);
  const tests = searches.flatMap((filter) => (filter ? [typeFilterTest(release, filter, at)] : []));
  const elements = elementNames(type, selection.elements ?? []);
  if (!ofPatients && tests.length === 0 && elements.size === 0) return undefined;
  return (line) => {
    if (ofPatients && !ofPatients.mayHold(line)) return undefined;
    const resource = parseJson(line.toString('utf8')) as Resource;
    if (ofPatients && !ofPatients.holds(resource)) return undefined;
    if (tests.length > 0 && !tests.some((matches) => matches(resource))) return undefined;
    return elements.size > 0 ? Buffer.from(stringifyJson(keepElements(release, resource, elements))) : line;
  };
}

/** Whether the release of a type code has the searches of the selection. */
export function canFilter(typeCode: TypeCode, selection: LineSelection, at: number): boolean {
  try {
    lineFilter(typeCode, selection, at);
    return true;
  } catch (error) {
    if (error instanceof SearchError || error instanceof UnusableTypeFilter) return false;
    throw error;
  }
}

interface CompartmentTest {
  /** A fast test on the bytes: false when they contain none of the ids. */
  mayHold(line: Buffer): boolean;
  holds(resource: Resource): boolean;
}

function compartmentTest(release: Release, type: string, patients: readonly string[]): CompartmentTest {
  const wanted = new Set(patients);
  const criteria = patients.map((id) => compartmentCriterion(release, 'Patient', id, type));
  return {
    mayHold: (line) => patients.some((id) => line.includes(id)),
    holds: (resource) =>
      (type === 'Patient' && wanted.has(resource.id ?? '')) ||
      criteria.some((criterion) => criterion?.matches(resource)),
  };
}
