import { convertToR4 } from '@tributary/fhir-conversion';
import { type Resource, parseJson, stringifyJson } from '@tributary/fhir-json';
import type { TypeCode } from '@tributary/record-storage';
import { type LineFilter, type UserLineFilter, lineFilter } from '../filters/line-filter';
import type { NewestRelease } from '../filters/newest-release';
import type { LineSelection } from '../filters/line-selection';
import { sourceRelease } from '../files/manifest-file';
import { r4TypeCodeOf } from './r4-type-codes';

/**
 * The filter that converts the lines of a type code to R4 and then applies the selection. A line that cannot be
 * converted is left out.
 * @param newest leaves out lines of older releases; it must be prepared for the user
 * @param onFailure is called with the reason of each line that cannot be converted, of the patients that the selection
 * names
 */
export function convertingFilter(
  source: TypeCode,
  selection: LineSelection,
  at: number,
  newest: NewestRelease | undefined,
  onFailure?: (reason: string) => void,
): UserLineFilter {
  const release = sourceRelease(source);
  const select = lineFilter(r4TypeCodeOf(source), selection, at);
  const ofPatients = patientsFilter(source, selection, at);
  return (line, userId) => {
    const stored = parseJson(line.toString('utf8')) as Resource;
    if (newest && !newest.has(stored, userId)) return undefined;
    const { resource, reason } = convertToR4(release, stored);
    if (resource === undefined) {
      if (!ofPatients || ofPatients(line)) onFailure?.(reason);
      return undefined;
    }
    const converted = Buffer.from(stringifyJson(resource));
    return select ? select(converted) : converted;
  };
}

/**
 * The filter by patients alone, on stored lines, for counting what an export leaves out. Undefined when the selection
 * names no patients.
 */
export function patientsFilter(typeCode: TypeCode, { patients }: LineSelection, at: number): LineFilter | undefined {
  return patients && lineFilter(typeCode, { patients }, at);
}
