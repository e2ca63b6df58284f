import { type StoredVersion, typeCodeOf } from '@tributary/record-storage';
import type { Answer } from '../fhir-http/fhir-response';
import type { Call, ReadingCall } from '../fhir-http/fhir-request';
import { FhirError, notFound } from '../fhir-http/fhir-error';
import { isResourceId } from '../resources/resource-id';
import { askedPart } from './render-read';
import { isUnchanged } from './etags';

/** `GET /{release}/{Type}/{id}` */
export async function read(call: Call, type: string, id: string): Promise<Answer> {
  if (!isResourceId(id)) throw notFound(type);
  return askedPart(call, type, versionAnswer(call, type, await call.record.read(typeCodeOf(call.release, type), id)));
}

/** The answer that shows a version: 404 when there is none, 410 when it is a deletion, 304 when the caller has it. */
export function versionAnswer(
  call: Pick<ReadingCall, 'headers'>,
  type: string,
  found: StoredVersion | undefined,
): Answer {
  if (!found) throw notFound(type);
  const { version, lastUpdated, line } = found;
  if (line === undefined) throw new FhirError(410, `this ${type} is deleted`, 'deleted', { ETag: `W/"${version}"` });
  const head = { version, lastUpdated };
  return isUnchanged(call.headers, found) ? { status: 304, ...head } : { status: 200, ...head, body: line };
}
