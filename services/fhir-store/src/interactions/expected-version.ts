import { MUST_NOT_EXIST, typeCodeOf } from '@tributary/record-storage';
import type { ReadRequest } from '../fhir-http/fhir-request';
import { badRequest, preconditionFailed } from '../fhir-http/fhir-error';
import { versionOfEtag } from '../fhir-http/etag';

/**
 * The version at which the resource must be for this write (If-Match); MUST_NOT_EXIST for If-None-Match: *.
 * @throws FhirError 412 when no version of ours can match
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
