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
  return { status, version, lastUpdated, location, body: bodyFor(request, json) };
}

function bodyFor(request: ReadRequest, json: Buffer | string): FhirResponse['body'] {
  switch (returnPreference(request)) {
    case 'minimal':
      return undefined;
    case 'OperationOutcome':
      return stringifyJson(
        outcomeOf(request.release, [
          { severity: 'information', code: 'informational', diagnostics: 'The resource is stored.' },
        ]),
      );
    case 'representation':
      return json;
  }
}
