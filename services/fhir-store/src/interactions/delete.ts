import { typeCodeOf } from '@tributary/record-storage';
import type { Answer } from '../http/answer';
import type { Call } from '../http/call';
import { preconditionFailed } from '../http/fhir-error';
import { isResourceId } from '../records/resource-id';
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
