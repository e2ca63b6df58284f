import { typeOfCode } from '@tributary/record-storage';
import { stringifyJson } from '@tributary/fhir-json';
import type { FhirResponse } from '../fhir-http/fhir-response';
import type { ReadRequest } from '../fhir-http/fhir-request';
import { outcomeOf } from '../fhir-http/fhir-error';
import { returnPreference } from '../fhir-http/prefer-header';

interface WrittenVersion {
  readonly typeCode: number;
  readonly id: string;
  readonly version: number;
  readonly lastUpdated: number;
  readonly json: Buffer | string;
}

/** The response of a write, with the body that `Prefer` requests (https://hl7.org/fhir/R4/http.html#ops). */
export function writeResponse(
  request: ReadRequest,
  status: 200 | 201,
  { typeCode, id, version, lastUpdated, json }: WrittenVersion,
): FhirResponse {
  const location = `${request.base}/${typeOfCode(typeCode)}/${id}/_history/${version}`;
  return { status, version, lastUpdated, location, ...bodyFor(request, json) };
}

function bodyFor(request: ReadRequest, json: Buffer | string): Pick<FhirResponse, 'body' | 'isOutcome'> {
  switch (returnPreference(request)) {
    case 'minimal':
      return {};
    case 'OperationOutcome':
      return information(request, 'The resource is stored.');
    case 'representation':
      return { body: json };
  }
}

/** The response of a conditional delete, which says how many resources are deleted. */
export function deletedResponse(request: ReadRequest, count: number): FhirResponse {
  if (returnPreference(request) === 'minimal') return { status: 204 };
  return {
    status: 200,
    ...information(request, count === 1 ? '1 resource is deleted' : `${count} resources are deleted`),
  };
}

function information({ release }: ReadRequest, diagnostics: string): Pick<FhirResponse, 'body' | 'isOutcome'> {
  const issue = { severity: 'information', code: 'informational', diagnostics } as const;
  return { body: stringifyJson(outcomeOf(release, [issue])), isOutcome: true };
}
