import type { Resource } from '@tributary/fhir-json';
import { MUST_NOT_EXIST, VersionConflictError, isResourceId, typeCodeOf } from '@tributary/record-storage';
import { badRequest, notFound, preconditionFailed } from '../../fhir-http/fhir-error';
import type { ReadRequest } from '../../fhir-http/fhir-request';
import { newResourceId } from '../../resources/resource-id';
import { expectedVersion } from '../expected-version';
import { type Patch, patchedResource } from '../patch/patched-resource';
import { criteriaIn, matchesToDelete, onlyMatch } from './matches';
import type { PlannedDeletion, PlannedStore, PlannedUnchanged } from './planned-write';

/**
 * Plans a create with `If-None-Exist` (https://hl7.org/fhir/R4/http.html#ccreate).
 * @throws FhirError 412 when several resources match
 */
export async function planConditionalCreate(
  request: ReadRequest,
  type: string,
  resource: Resource,
  ifNoneExist: string,
): Promise<PlannedStore | PlannedUnchanged> {
  const criteria = criteriaIn(ifNoneExist);
  const match = await onlyMatch(request, type, criteria);
  if (match) return { effect: 'unchanged', type, id: match.id, match, isFound: true };
  const createdFor = canonical(criteria);
  return { effect: 'store', type, id: newResourceId(), resource, expectedVersion: MUST_NOT_EXIST, createdFor };
}

/**
 * Plans an update by criteria (https://hl7.org/fhir/R4/http.html#cond-update). An id of another form than that of the
 * service is ignored.
 * @throws FhirError 400 when the match has another id than the resource, 412 when several resources match or If-Match
 * fails
 */
export async function planConditionalUpdate(
  request: ReadRequest,
  type: string,
  resource: Resource,
): Promise<PlannedStore> {
  const match = await onlyMatch(request, type, request.query);
  if (match && resource.id !== undefined && resource.id !== match.id)
    throw badRequest('the resource that matches the criteria has another id');
  const chosenId = resource.id !== undefined && isResourceId(resource.id) ? resource.id : undefined;
  const id = match?.id ?? chosenId ?? newResourceId();
  const expected = await expectedVersion(request, type, id);
  const version = match?.version ?? MUST_NOT_EXIST;
  if (expected !== undefined && expected !== version)
    throw preconditionFailed('the resource is not at the expected version');
  return {
    effect: 'store',
    type,
    id,
    isClientAssignedId: id === chosenId,
    resource,
    expectedVersion: version,
    isFound: expected === undefined,
    ...(match ? {} : { createdFor: canonical(request.query) }),
  };
}

/**
 * Plans a patch of one resource (https://hl7.org/fhir/R4/http.html#patch). The write requires the version to which the
 * patch was applied.
 * @param id undefined: the only match of the criteria
 * @throws FhirError 404 or 410 without the resource, 412 when several resources match, and as `patchedResource`
 */
export async function planPatch(
  request: ReadRequest,
  type: string,
  id: string | undefined,
  patch: Patch,
): Promise<PlannedStore> {
  const target = id ?? (await onlyMatch(request, type, request.query))?.id;
  if (target === undefined || !isResourceId(target)) throw notFound(type);
  const typeCode = typeCodeOf(request.release, type);
  const stored = await request.record.read(typeCode, target);
  const expected = await expectedVersion(request, type, target);
  if (expected !== undefined && stored?.version !== expected)
    throw new VersionConflictError(typeCode, target, expected, stored?.version);
  return {
    effect: 'store',
    type,
    id: target,
    resource: patchedResource(request, type, stored, patch),
    expectedVersion: stored?.version,
    isFound: expected === undefined,
  };
}

/**
 * Plans a delete by criteria (https://hl7.org/fhir/R4/http.html#3.1.0.7.1).
 * @throws FhirError 400 when too many resources match
 */
export async function planConditionalDelete(request: ReadRequest, type: string): Promise<PlannedDeletion> {
  const matches = await matchesToDelete(request, type, request.query);
  return {
    effect: 'delete',
    type,
    targets: matches.map(({ id, version }) => ({ id, expectedVersion: version })),
    isFound: true,
  };
}

function canonical(criteria: URLSearchParams): string {
  return [...criteria]
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join('&');
}
