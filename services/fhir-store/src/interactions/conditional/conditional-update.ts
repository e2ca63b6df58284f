import { type ChangeOutcome, MUST_NOT_EXIST, typeCodeOf } from '@tributary/record-storage';
import type { FhirResponse } from '../../fhir-http/fhir-response';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { badRequest, preconditionFailed } from '../../fhir-http/fhir-error';
import { clientContent } from '../../resources/resource-content';
import { newResourceId } from '../../resources/resource-id';
import { expectedVersion } from '../expected-version';
import { assertWhole, validResource } from '../valid-resource';
import { assertAssignable } from '../update';
import { changeResponse } from './conditional-create';
import { type Match, onlyMatch } from './matches';
import { withRecordLock } from './with-record-lock';

/**
 * `PUT /{release}/{Type}?criteria`: updates the match of the criteria (https://hl7.org/fhir/R4/http.html#cond-update).
 * Without a match it creates the resource, under the submitted id if there is one.
 * @throws FhirError 412 when several resources match or If-Match fails, 400 when the match has another id, 422 when the
 * resource is not valid and whole
 */
export async function conditionalUpdate(request: FhirRequest, type: string): Promise<FhirResponse> {
  const resource = validResource(request, type, await request.body());
  assertWhole(resource);
  if (resource.id !== undefined) assertAssignable(resource.id);
  const content = clientContent(request, resource);
  const typeCode = typeCodeOf(request.release, type);
  let expected: number | undefined;
  return withRecordLock(
    request,
    async (locked) => {
      const match = await onlyMatch(locked, type, request.query);
      if (match && resource.id !== undefined && resource.id !== match.id)
        throw badRequest('the resource that matches the criteria has another id');
      const id = match?.id ?? resource.id ?? newResourceId();
      expected = await expectedVersion(locked, type, id);
      assertExpectedMatch(match, expected);
      const [written] = await locked.record.write(
        [
          {
            typeCode,
            id,
            ...content,
            isClientAssignedId: resource.id !== undefined,
            expectedVersion: match?.version ?? MUST_NOT_EXIST,
          },
        ],
        { returnJson: true },
      );
      return changeResponse(request, written as ChangeOutcome);
    },
    // Without a match the only possible conflict is an id that exists.
    ({ expected: version }) => version === MUST_NOT_EXIST || version === expected,
  );
}

/** @throws FhirError 412 when the version of the match is not the expected version */
export function assertExpectedMatch(match: Match | undefined, expected: number | undefined): void {
  if (expected !== undefined && expected !== (match?.version ?? MUST_NOT_EXIST))
    throw preconditionFailed('the resource is not at the expected version');
}
