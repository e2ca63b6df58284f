import { typeCodeOf } from '@tributary/record-storage';
import type { Resource } from '@tributary/fhir-json';
import type { Answer } from '../fhir-http/fhir-response';
import type { Call } from '../fhir-http/fhir-request';
import { FhirError, badRequest } from '../fhir-http/fhir-error';
import { clientContent } from '../resources/resource-content';
import { isResourceId } from '../resources/resource-id';
import { expectedVersion } from './expected-version';
import { readResource } from './valid-resource';
import { writtenAnswer } from './write-response';

/** `PUT /{release}/{Type}/{id}`: the next version of a resource, or the first one under an id that the client chose. */
export async function update(call: Call, type: string, id: string): Promise<Answer> {
  const resource = await readResource(call, type);
  if (resource.id !== id) throw badRequest('the resource must have the id of the address');
  return updateWith(call, type, id, resource);
}

/** Stores a resource that is known to be valid. */
export async function updateWith(call: Call, type: string, id: string, resource: Resource): Promise<Answer> {
  assertAssignable(id);
  const expected = await expectedVersion(call, type, id);
  const written = await call.record.update(typeCodeOf(call.release, type), id, clientContent(call, resource), expected);
  return writtenAnswer(call, written.created ? 201 : 200, written);
}

/** @throws FhirError 405 for an id that no resource here can have: a client may choose an id, but it has to be a UUID */
export function assertAssignable(id: string): void {
  if (!isResourceId(id))
    throw new FhirError(
      405,
      'ids are UUIDs in lower case, assigned by the service at creation; an id chosen by a client must be one too',
      'not-supported',
      { Allow: 'GET, HEAD' },
    );
}
