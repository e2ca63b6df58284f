import { typeCodeOf } from '@tributary/record-storage';
import type { Answer } from '../fhir-http/fhir-response';
import type { Call } from '../fhir-http/fhir-request';
import { notFound } from '../fhir-http/fhir-error';
import { isResourceId } from '../resources/resource-id';
import { askedPart } from './render-read';
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
