import { convertedType } from '@tributary/fhir-conversion';
import { stringifyJson } from '@tributary/fhir-json';
import { type HistoryEntry, typeOfCode } from '@tributary/record-storage';
import type { Call } from '../../fhir-http/fhir-request';
import { outcomeOf } from '../../fhir-http/fhir-error';
import { parseLine } from '../../resources/stored-resource';
import { inR4, showsInR4 } from '../conversion/resource-in-r4';

/** What a history shows of a version. */
export interface ShownVersion {
  readonly type: string;
  /** Undefined for a deletion, and for what cannot be had in the release that is asked for. */
  readonly line: Buffer | string | undefined;
  /** Why it cannot be had, as an OperationOutcome. */
  readonly outcome?: string;
}

/** A version as it is stored, or converted to R4 where the call asks for that. */
export function shownVersion(call: Call, { typeCode, line }: HistoryEntry): ShownVersion {
  const type = typeOfCode(typeCode);
  if (!showsInR4(call)) return { type, line };
  if (line === undefined) return { type: convertedType(type), line };
  const { resource, issue } = inR4(call, parseLine(line));
  if (issue)
    return {
      type: convertedType(type),
      line: undefined,
      outcome: stringifyJson(outcomeOf(call.shownRelease, [{ severity: 'warning', ...issue }])),
    };
  return { type: resource.resourceType, line: stringifyJson(resource) };
}
