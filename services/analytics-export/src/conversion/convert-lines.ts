import { convertToR4 } from '@tributary/fhir-conversion';
import { type Resource, parseJson, stringifyJson } from '@tributary/fhir-json';
import type { Kind } from '@tributary/record-storage';
import { type LineFilter, lineFilter } from '../filters/line-filter';
import type { LineSelection } from '../filters/line-selection';
import { sourceRelease } from './converted-files';
import { r4KindOf } from './r4-kinds';

/**
 * The filter that converts the lines of a kind to R4, and then leaves of them what the selection says. What cannot be converted is left out.
 * @param onFailure told why a line could not be converted
 */
export function convertingFilter(source: Kind, selection: LineSelection, at: number, onFailure?: (reason: string) => void): LineFilter {
  const release = sourceRelease(source);
  const select = lineFilter(r4KindOf(source), selection, at);
  return (line) => {
    const { resource, reason } = convertToR4(release, parseJson(line.toString('utf8')) as Resource);
    if (resource === undefined) {
      onFailure?.(reason);
      return undefined;
    }
    const converted = Buffer.from(stringifyJson(resource));
    return select ? select(converted) : converted;
  };
}
