import type { Resource } from '@tributary/fhir-json';
import type { FhirResponse } from '../../fhir-http/fhir-response';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { storingContent } from '../large-content';
import { assertAssignable } from '../update';
import { assertWhole, validResource } from '../valid-resource';
import { deletedResponse } from '../write-response';
import { carryOut } from './with-record-lock';
import { hasMatch } from './matches';
import { planConditionalCreate, planConditionalDelete, planConditionalUpdate } from './plan-conditional';
import { matchResponse } from './planned-write';

/**
 * `POST /{release}/{Type}` with If-None-Exist: returns the match of the criteria, or creates the resource
 * (https://hl7.org/fhir/R4/http.html#ccreate).
 * @throws FhirError 412 when several resources match
 */
export async function conditionalCreate(
  request: FhirRequest,
  type: string,
  resource: Resource,
  ifNoneExist: string,
): Promise<FhirResponse> {
  // A repeated create finds the resource without the lock.
  const found = await planConditionalCreate(request, type, resource, ifNoneExist);
  const known = found.effect === 'unchanged' ? await matchResponse(request, found) : undefined;
  return known ?? carryOut(request, (locked) => planConditionalCreate(locked, type, resource, ifNoneExist));
}

/**
 * `PUT /{release}/{Type}?criteria`: updates the match of the criteria (https://hl7.org/fhir/R4/http.html#cond-update).
 * Without a match it creates the resource, under the submitted id if there is one.
 * @throws FhirError 412 when several resources match or If-Match fails, 400 when the match has another id, 422 when the
 * resource is not valid and whole
 */
export async function conditionalUpdate(request: FhirRequest, type: string): Promise<FhirResponse> {
  return storingContent(request.record, [await request.body()], async ([body]) => {
    const resource = validResource(request, type, body);
    assertWhole(resource);
    if (resource.id !== undefined) assertAssignable(resource.id);
    return carryOut(request, (locked) => planConditionalUpdate(locked, type, resource));
  });
}

/**
 * `DELETE /{release}/{Type}?criteria`: deletes all matches in one transaction (conditional delete,
 * https://hl7.org/fhir/R4/http.html#delete).
 * @throws FhirError 412 when there is no criterion, 400 when more than `limits.conditionalDeletes` resources
 * match
 */
export async function conditionalDelete(request: FhirRequest, type: string): Promise<FhirResponse> {
  if (!(await hasMatch(request, type, request.query))) return deletedResponse(request, 0);
  return carryOut(request, (locked) => planConditionalDelete(locked, type));
}
