import { typeCodeOf, isResourceId } from '@tributary/record-storage';
import type { FhirResponse } from '../fhir-http/fhir-response';
import type { FhirRequest } from '../fhir-http/fhir-request';
import { notFound } from '../fhir-http/fhir-error';
import { renderRead } from './render-read';
import { versionResponse } from './read';

/**
 * `GET /{release}/{Type}/{id}/_history/{version}` (https://hl7.org/fhir/R4/http.html#vread).
 * @throws FhirError 404 without the version, 410 when the version is a deletion, 406 when it cannot be converted
 */
export async function vread(request: FhirRequest, type: string, id: string, version: string): Promise<FhirResponse> {
  if (!isResourceId(id) || !/^[1-9]\d{0,8}$/.test(version)) throw notFound(`version of ${type}`);
  return renderRead(
    request,
    type,
    versionResponse(
      request,
      type,
      await request.record.readVersion(typeCodeOf(request.release, type), id, Number(version)),
    ),
  );
}
