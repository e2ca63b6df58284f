import type { JsonValue } from '@tributary/fhir-json';
import { typeCodeOf, isResourceId } from '@tributary/record-storage';
import type { FhirResponse } from '../fhir-http/fhir-response';
import type { FhirRequest } from '../fhir-http/fhir-request';
import { FhirError, badRequest } from '../fhir-http/fhir-error';
import { clientContent } from '../resources/resource-content';
import { storingContent } from './large-content';
import { expectedVersion } from './expected-version';
import { assertWhole, validResource } from './valid-resource';
import { writeResponse } from './write-response';

/**
 * `PUT /{release}/{Type}/{id}`: stores the next version of a resource, or the first version under an id that the client
 * chose (https://hl7.org/fhir/R4/http.html#update).
 * @throws FhirError 400 or 422 when the body is not a valid and whole resource with this id, 405 when the id is not a
 * UUID, 412 when If-Match fails
 */
export async function update(request: FhirRequest, type: string, id: string): Promise<FhirResponse> {
  return storingContent(request.record, [await request.body()], ([body]) => updateWith(request, type, id, body));
}

async function updateWith(
  request: FhirRequest,
  type: string,
  id: string,
  body: JsonValue | undefined,
): Promise<FhirResponse> {
  const resource = validResource(request, type, body);
  if (resource.id !== id) throw badRequest('the resource must have the id of the address');
  assertWhole(resource);
  assertAssignable(id);
  const expected = await expectedVersion(request, type, id);
  const written = await request.record.update(
    typeCodeOf(request.release, type),
    id,
    clientContent(request, resource),
    expected,
  );
  return writeResponse(request, written.created ? 201 : 200, written);
}

/** @throws FhirError 405 for an id that is not a UUID: an id that a client chooses must be a UUID */
export function assertAssignable(id: string): void {
  if (!isResourceId(id))
    throw new FhirError(
      405,
      'ids are UUIDs in lower case, assigned by the service at creation; an id chosen by a client must be one too',
      'not-supported',
      { Allow: 'GET, HEAD' },
    );
}
