import { typeCodeOf } from '@tributary/record-storage';
import type { Answer } from '../fhir-http/fhir-response';
import type { Call } from '../fhir-http/fhir-request';
import { preconditionFailed } from '../fhir-http/fhir-error';
import { isResourceId } from '../resources/resource-id';
import { expectedVersion } from './expected-version';

/** `DELETE /{release}/{Type}/{id}`: its versions stay readable. Deleting what is not there is no fault. */
export async function deleteInstance(call: Call, type: string, id: string): Promise<Answer> {
  if (!isResourceId(id)) {
    if (call.headers.ifMatch !== undefined) throw preconditionFailed('the resource does not exist');
    return { status: 204 };
  }
  const deleted = await call.record.delete(typeCodeOf(call.release, type), id, await expectedVersion(call, type, id));
  return { status: 204, version: deleted?.version };
}
