import { typeCodeOf, isResourceId } from '@tributary/record-storage';
import type { FhirResponse } from '../fhir-http/fhir-response';
import type { FhirRequest } from '../fhir-http/fhir-request';
import { preconditionFailed } from '../fhir-http/fhir-error';
import { expectedVersion } from './expected-version';

/**
 * `DELETE /{release}/{Type}/{id}` (https://hl7.org/fhir/R4/http.html#delete). The versions of the resource stay
 * readable. The deletion of a resource that does not exist succeeds.
 * @throws FhirError 412 when If-Match fails
 */
export async function deleteInstance(request: FhirRequest, type: string, id: string): Promise<FhirResponse> {
  if (!isResourceId(id)) {
    if (request.headers.ifMatch !== undefined) throw preconditionFailed('the resource does not exist');
    return { status: 204 };
  }
  const deleted = await request.record.delete(
    typeCodeOf(request.release, type),
    id,
    await expectedVersion(request, type, id),
  );
  return { status: 204, version: deleted?.version };
}
