import { typeCodeOf } from '@tributary/record-storage';
import type { Answer } from '../http/answer';
import type { Call } from '../http/call';
import { notFound } from '../http/fhir-error';
import { isResourceId } from '../records/resource-id';
import { askedPart } from './asked-part';
import { versionAnswer } from './read';

/** `GET /{release}/{Type}/{id}/_history/{version}` */
export async function vread(call: Call, type: string, id: string, version: string): Promise<Answer> {
  if (!isResourceId(id) || !/^[1-9]\d{0,8}$/.test(version)) throw notFound(`version of ${type}`);
  return askedPart(
    call,
    type,
    versionAnswer(call, type, await call.record.readVersion(typeCodeOf(call.release, type), id, Number(version))),
  );
}
