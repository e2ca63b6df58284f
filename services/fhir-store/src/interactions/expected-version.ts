import { MUST_NOT_EXIST, typeCodeOf } from '@tributary/record-storage';
import type { ReadRequest } from '../fhir-http/fhir-request';
import { badRequest, preconditionFailed } from '../fhir-http/fhir-error';
import { versionOfEtag } from '../fhir-http/etag';

/**
 * The version that a write requires by If-Match (https://hl7.org/fhir/R4/http.html#concurrency); MUST_NOT_EXIST for
 * `If-None-Match: *`; undefined without a precondition.
 * @throws FhirError 412 when no version can match, 400 when If-Match has several versions
 */
export async function expectedVersion(request: ReadRequest, type: string, id: string): Promise<number | undefined> {
  const { ifMatch, ifNoneMatch } = request.headers;
  if (ifMatch === undefined) return ifNoneMatch?.trim() === '*' ? MUST_NOT_EXIST : undefined;
  if (ifMatch.trim() === '*') {
    const [current] = await request.record.currentVersions([{ typeCode: typeCodeOf(request.release, type), id }]);
    if (!current) throw preconditionFailed('the resource does not exist');
    return current.version;
  }
  if (ifMatch.includes(',')) throw badRequest('If-Match takes one version');
  const version = versionOfEtag(ifMatch);
  if (version === undefined || version === MUST_NOT_EXIST)
    throw preconditionFailed('the resource is not at the expected version');
  return version;
}
