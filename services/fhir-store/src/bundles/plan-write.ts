import { isResourceType } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import { MUST_NOT_EXIST, VersionConflictError, typeCodeOf, isResourceId } from '@tributary/record-storage';
import type { ReadRequest } from '../fhir-http/fhir-request';
import { FhirError, badRequest, notFound } from '../fhir-http/fhir-error';
import { newResourceId } from '../resources/resource-id';
import { assertExpectedMatch } from '../interactions/conditional/conditional-update';
import { type Match, criteriaIn, matchesToDelete, onlyMatch } from '../interactions/conditional/matches';
import { expectedVersion } from '../interactions/expected-version';
import { isParameters } from '../interactions/operations/parameters';
import { applyFhirPathPatch } from '../interactions/patch/fhirpath-patch';
import { patchedResource } from '../interactions/patch/patch';
import { assertWhole, validResource } from '../interactions/valid-resource';
import { assertAssignable } from '../interactions/update';
import { type BundleEntry, segmentsOf } from './bundle-entry';
import { requestOfEntry } from './entry-request';

/** The resource type that an entry of a transaction affects. */
interface PlannedEntry {
  readonly entry: BundleEntry;
  readonly type: string;
  /**
   * The version results from a search and not from If-Match. After a version conflict the transaction is planned again.
   */
  readonly isFound?: true;
}

export interface PlannedStore extends PlannedEntry {
  readonly effect: 'store';
  readonly id: string;
  /** The id was chosen by the client, not assigned by the service. */
  readonly isClientAssignedId?: boolean;
  readonly resource: Resource;
  readonly expectedVersion?: number | undefined;
  /** The criteria without a match, in canonical form. */
  readonly createdFor?: string;
}

export interface PlannedUnchanged extends PlannedEntry {
  readonly effect: 'unchanged';
  readonly id: string;
  readonly match: Match;
  readonly isFound: true;
}

export interface PlannedDeletion extends PlannedEntry {
  readonly effect: 'delete';
  readonly targets: readonly { readonly id: string; readonly expectedVersion?: number | undefined }[];
}

/** The effect of an entry, decided before anything is written. */
export type PlannedWrite = PlannedStore | PlannedUnchanged | PlannedDeletion;

/** Whether the write of an entry depends on the stored content: it selects its resource by criteria, or patches it. */
export function dependsOnReading({ method, segments, headers }: BundleEntry): boolean {
  if (method === 'POST') return headers.ifNoneExist !== undefined;
  return method === 'PATCH' || segments?.length === 1;
}

/**
 * Determines the write of an entry. Criteria are evaluated on the record before the transaction
 * (https://hl7.org/fhir/R4/http.html#trules).
 * @throws FhirError 400 for a request that a transaction does not support, 412 when a precondition fails
 */
export async function planWrite(transaction: ReadRequest, entry: BundleEntry): Promise<PlannedWrite> {
  const request = requestOfEntry(transaction, entry);
  const { method, index } = entry;
  const segments = segmentsOf(entry);
  const [type, id] = segments;
  if (type === undefined || segments.length > 2 || !isResourceType(request.release, type)) throw unsupported(index);
  switch (method) {
    case 'POST':
      if (id !== undefined) throw unsupported(index);
      return planCreate(request, entry, type);
    case 'PUT':
      return id === undefined
        ? planConditionalUpdate(request, entry, type)
        : planUpdate(request, entry, type, id, resourceOf(entry, type));
    case 'PATCH':
      return planPatch(request, entry, type, id);
    case 'DELETE':
      return planDelete(request, entry, type, id);
    default:
      throw unsupported(index);
  }
}

async function planCreate(request: ReadRequest, entry: BundleEntry, type: string): Promise<PlannedWrite> {
  const resource = resourceOf(entry, type);
  const { ifNoneExist } = request.headers;
  if (ifNoneExist === undefined) return { effect: 'store', entry, type, id: newResourceId(), resource };
  const criteria = criteriaIn(ifNoneExist);
  const match = await onlyMatch(request, type, criteria);
  if (match) return { effect: 'unchanged', entry, type, id: match.id, match, isFound: true };
  return {
    effect: 'store',
    entry,
    type,
    id: newResourceId(),
    resource,
    expectedVersion: MUST_NOT_EXIST,
    createdFor: canonical(criteria),
  };
}

async function planUpdate(
  request: ReadRequest,
  entry: BundleEntry,
  type: string,
  id: string,
  resource: Resource,
): Promise<PlannedWrite> {
  assertSameId(entry, resource, id);
  assertAssignable(id);
  return {
    effect: 'store',
    entry,
    type,
    id,
    isClientAssignedId: true,
    resource,
    expectedVersion: await expectedVersion(request, type, id),
  };
}

async function planConditionalUpdate(request: ReadRequest, entry: BundleEntry, type: string): Promise<PlannedWrite> {
  const resource = resourceOf(entry, type);
  const match = await onlyMatch(request, type, request.query);
  if (match) assertSameId(entry, resource, match.id);
  const id = match?.id ?? (isAssigned(resource.id) ? resource.id : newResourceId());
  const expected = await expectedVersion(request, type, id);
  assertExpectedMatch(match, expected);
  const isClientAssignedId = id === resource.id;
  if (!match)
    return {
      effect: 'store',
      entry,
      type,
      id,
      isClientAssignedId,
      resource,
      expectedVersion: MUST_NOT_EXIST,
      createdFor: canonical(request.query),
    };
  return {
    effect: 'store',
    entry,
    type,
    id,
    resource,
    expectedVersion: match.version,
    ...(expected === undefined ? { isFound: true } : {}),
  };
}

function assertSameId({ index }: BundleEntry, { id }: Resource, expected: string): void {
  if (id !== undefined && id !== expected)
    throw badRequest(`Bundle.entry[${index}].resource must have the id of the request's url`);
}

/**
 * Plans a FHIRPath Patch. A JSON Patch is not a resource and cannot be in a Bundle. The write requires the version to
 * which the patch was applied.
 */
async function planPatch(
  request: ReadRequest,
  entry: BundleEntry,
  type: string,
  id: string | undefined,
): Promise<PlannedWrite> {
  const { resource: parameters, index } = entry;
  if (request.release !== 'r4' || parameters === undefined || !isParameters(parameters))
    throw badRequest(
      `Bundle.entry[${index}].resource must be a FHIRPath Patch, a Parameters resource of r4`,
      'not-supported',
    );
  const target = id ?? (await onlyMatch(request, type, request.query))?.id;
  if (target === undefined || !isResourceId(target)) throw notFound(type);
  const typeCode = typeCodeOf(request.release, type);
  const stored = await request.record.read(typeCode, target);
  const expected = await expectedVersion(request, type, target);
  if (expected !== undefined && stored?.version !== expected)
    throw new VersionConflictError(typeCode, target, expected, stored?.version);
  const resource = patchedResource(request, type, stored, (current) => applyFhirPathPatch(current, parameters));
  return {
    effect: 'store',
    entry,
    type,
    id: target,
    resource,
    expectedVersion: stored?.version,
    ...(expected === undefined ? { isFound: true } : {}),
  };
}

async function planDelete(
  request: ReadRequest,
  entry: BundleEntry,
  type: string,
  id: string | undefined,
): Promise<PlannedWrite> {
  if (id === undefined) {
    const matches = await matchesToDelete(request, type, request.query);
    return {
      effect: 'delete',
      entry,
      type,
      targets: matches.map((match) => ({ id: match.id, expectedVersion: match.version })),
      isFound: true,
    };
  }
  if (!isResourceId(id)) return { effect: 'delete', entry, type, targets: [] };
  return {
    effect: 'delete',
    entry,
    type,
    targets: [{ id, expectedVersion: await expectedVersion(request, type, id) }],
  };
}

function canonical(criteria: URLSearchParams): string {
  return [...criteria]
    .map(([name, value]) => `${name}=${value}`)
    .toSorted()
    .join('&');
}

/** Whether the id of a submitted resource is a resource id. Some clients submit the URN of the fullUrl instead. */
function isAssigned(id: string | undefined): id is string {
  return id !== undefined && isResourceId(id);
}

/** The resource of an entry. It is validated when its references are resolved. */
function resourceOf({ resource, index }: BundleEntry, type: string): Resource {
  if (resource === undefined) throw badRequest(`Bundle.entry[${index}] has no resource`, 'required');
  if (
    typeof resource !== 'object' ||
    resource === null ||
    !('resourceType' in resource) ||
    resource['resourceType'] !== type
  )
    throw badRequest(`Bundle.entry[${index}].resource is not of the type of the request's url, ${type}`);
  return resource as Resource;
}

/** The validated resource. @throws FhirError 422 with expressions that start at the Bundle */
export function validated(request: ReadRequest, { entry, type, id }: PlannedStore, resource: Resource): Resource {
  try {
    const valid = validResource(request, type, { ...resource, id });
    if (entry.method === 'PUT') assertWhole(valid);
    return valid;
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    const prefix = `Bundle.entry[${entry.index}].resource`;
    throw new FhirError(
      error.status,
      error.issues.map((issue) => ({
        ...issue,
        expression: issue.expression?.replace(/^\w+/, prefix) ?? prefix,
        location:
          issue.location?.replace(/^\/f:\w+/, `/f:Bundle/f:entry[${entry.index + 1}]/f:resource/f:${type}`) ??
          `/f:Bundle/f:entry[${entry.index + 1}]`,
      })),
    );
  }
}

function unsupported(index: number): FhirError {
  return badRequest(`the request of Bundle.entry[${index}] is not allowed in a transaction`, 'not-supported');
}
