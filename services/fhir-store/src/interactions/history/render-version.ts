import { convertedType } from '@tributary/fhir-conversion';
import { stringifyJson } from '@tributary/fhir-json';
import { type HistoryVersion, typeOfCode } from '@tributary/record-storage';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { outcomeOf } from '../../fhir-http/fhir-error';
import { parseResource } from '../../resources/resource-content';
import { convertResource, isConvertedToR4 } from '../conversion/resource-in-r4';

/** What a history shows of a version. */
export interface RenderedVersion {
  readonly type: string;
  /** Undefined for a deletion, and for what cannot be had in the release that is asked for. */
  readonly json: Buffer | string | undefined;
  /** Why it cannot be had, as an OperationOutcome. */
  readonly outcome?: string;
}

/** A version as it is stored, or converted to R4 where the request asks for that. */
export function renderVersion(request: FhirRequest, { typeCode, json }: HistoryVersion): RenderedVersion {
  const type = typeOfCode(typeCode);
  if (!isConvertedToR4(request)) return { type, json };
  if (json === undefined) return { type: convertedType(type), json };
  const { resource, issue } = convertResource(request, parseResource(json));
  if (issue)
    return {
      type: convertedType(type),
      json: undefined,
      outcome: stringifyJson(outcomeOf(request.responseRelease, [{ severity: 'warning', ...issue }])),
    };
  return { type: resource.resourceType, json: stringifyJson(resource) };
}
