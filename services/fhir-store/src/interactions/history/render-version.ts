import { convertedType } from '@tributary/fhir-conversion';
import { stringifyJson } from '@tributary/fhir-json';
import { type HistoryVersion, typeOfCode } from '@tributary/record-storage';
import { type FhirRequest, isConvertedToR4 } from '../../fhir-http/fhir-request';
import { outcomeOf } from '../../fhir-http/fhir-error';
import { parseResource } from '../../resources/resource-content';
import { convertResource } from '../conversion/resource-in-r4';

/** A version as an entry of a history. */
export interface RenderedVersion {
  readonly type: string;
  /** Undefined for a deletion, and for a version that cannot be converted. */
  readonly json: Buffer | string | undefined;
  /** Why the version cannot be converted, as an OperationOutcome. */
  readonly outcome?: string;
}

/** Renders a stored version, converted to R4 if the request requires it. */
export function renderVersion(request: FhirRequest, { typeCode, json }: HistoryVersion): RenderedVersion {
  const type = typeOfCode(typeCode);
  if (!isConvertedToR4(request)) return { type, json };
  if (json === undefined) return { type: convertedType(type), json };
  request.parsing?.take(json.length);
  const { resource, issue } = convertResource(request, parseResource(json));
  if (issue)
    return {
      type: convertedType(type),
      json: undefined,
      outcome: stringifyJson(outcomeOf(request.responseRelease, [{ severity: 'warning', ...issue }])),
    };
  return { type: resource.resourceType, json: stringifyJson(resource) };
}
