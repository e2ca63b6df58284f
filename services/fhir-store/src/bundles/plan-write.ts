import { isResourceType } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import { SearchError } from '@tributary/fhir-search';
import { isResourceId } from '@tributary/record-storage';
import type { ReadRequest } from '../fhir-http/fhir-request';
import { asFhirError } from '../fhir-http/error-mapping';
import { FhirError, type OutcomeIssue, badRequest } from '../fhir-http/fhir-error';
import { newResourceId } from '../resources/resource-id';
import {
  planConditionalCreate,
  planConditionalDelete,
  planConditionalUpdate,
  planPatch,
} from '../interactions/conditional/plan-conditional';
import type { PlannedStore, PlannedWrite } from '../interactions/conditional/planned-write';
import { expectedVersion } from '../interactions/expected-version';
import { isParameters } from '../interactions/operations/parameters';
import { applyFhirPathPatch } from '../interactions/patch/fhirpath-patch';
import type { Patch } from '../interactions/patch/patched-resource';
import { assertWhole, validResource } from '../interactions/valid-resource';
import { assertAssignable } from '../interactions/update';
import { type BundleEntry, segmentsOf } from './bundle-entry';
import { requestOfEntry } from './entry-request';

/** An entry of a transaction with its planned write. */
export type PlannedEntry<Write extends PlannedWrite = PlannedWrite> = Write & { readonly entry: BundleEntry };

/** Whether the write of an entry depends on the stored content: it selects its resource by criteria, or patches it. */
export function dependsOnReading({ method, segments, headers }: BundleEntry): boolean {
  if (method === 'POST') return headers.ifNoneExist !== undefined;
  return method === 'PATCH' || segments?.length === 1;
}

/**
 * Determines the write of an entry. Criteria are evaluated on the record before the transaction
 * (https://hl7.org/fhir/R4/http.html#trules).
 * @throws FhirError that names the entry: 400 for a request that a transaction does not support and for criteria that
 * are not supported, 412 when a precondition fails
 */
export async function planEntry(transaction: ReadRequest, entry: BundleEntry): Promise<PlannedEntry> {
  try {
    return { ...(await planWrite(requestOfEntry(transaction, entry), entry)), entry };
  } catch (error) {
    if (!(error instanceof FhirError || error instanceof SearchError)) throw error;
    const position = { expression: `Bundle.entry[${entry.index}]`, location: `/f:Bundle/f:entry[${entry.index + 1}]` };
    // The parameter of a SearchError is that of the entry, and not of the request.
    throw positioned(asFhirError(error, false), (issue) =>
      error instanceof SearchError ? position : { ...position, ...issue },
    );
  }
}

async function planWrite(request: ReadRequest, entry: BundleEntry): Promise<PlannedWrite> {
  const segments = segmentsOf(entry);
  const [type, id] = segments;
  if (type === undefined || segments.length > 2 || !isResourceType(request.release, type)) throw unsupported(entry);
  switch (entry.method) {
    case 'POST':
      if (id !== undefined) throw unsupported(entry);
      return planCreate(request, type, resourceOf(entry, type));
    case 'PUT':
      return id === undefined
        ? planConditionalUpdate(request, type, resourceOf(entry, type))
        : planUpdate(request, type, id, resourceOf(entry, type));
    case 'PATCH':
      return planPatch(request, type, id, patchOf(request, entry));
    case 'DELETE':
      return id === undefined ? planConditionalDelete(request, type) : planDelete(request, type, id);
    default:
      throw unsupported(entry);
  }
}

async function planCreate(request: ReadRequest, type: string, resource: Resource): Promise<PlannedWrite> {
  const { ifNoneExist } = request.headers;
  return ifNoneExist === undefined
    ? { effect: 'store', type, id: newResourceId(), resource }
    : planConditionalCreate(request, type, resource, ifNoneExist);
}

async function planUpdate(request: ReadRequest, type: string, id: string, resource: Resource): Promise<PlannedWrite> {
  if (resource.id !== undefined && resource.id !== id)
    throw badRequest("the resource must have the id of the request's url");
  assertAssignable(id);
  const expected = await expectedVersion(request, type, id);
  return { effect: 'store', type, id, isClientAssignedId: true, resource, expectedVersion: expected };
}

/** The FHIRPath Patch of an entry. A JSON Patch is not a resource and cannot be in a Bundle. */
function patchOf({ release }: ReadRequest, { resource, index }: BundleEntry): Patch {
  if (release !== 'r4' || resource === undefined || !isParameters(resource))
    throw badRequest(
      `Bundle.entry[${index}].resource must be a FHIRPath Patch, a Parameters resource of r4`,
      'not-supported',
    );
  return (current) => applyFhirPathPatch(current, resource);
}

async function planDelete(request: ReadRequest, type: string, id: string): Promise<PlannedWrite> {
  const targets = isResourceId(id) ? [{ id, expectedVersion: await expectedVersion(request, type, id) }] : [];
  return { effect: 'delete', type, targets };
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
export function validated(
  request: ReadRequest,
  { entry, type, id }: PlannedEntry<PlannedStore>,
  resource: Resource,
): Resource {
  try {
    const valid = validResource(request, type, { ...resource, id });
    if (entry.method === 'PUT') assertWhole(valid);
    return valid;
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    const prefix = `Bundle.entry[${entry.index}].resource`;
    throw positioned(error, ({ expression, location }) => ({
      expression: expression?.replace(/^\w+/, prefix) ?? prefix,
      location:
        location?.replace(/^\/f:\w+/, `/f:Bundle/f:entry[${entry.index + 1}]/f:resource/f:${type}`) ??
        `/f:Bundle/f:entry[${entry.index + 1}]`,
    }));
  }
}

/** The error with other positions of its issues, in the Bundle. */
function positioned(
  { status, issues, headers }: FhirError,
  positionOf: (issue: OutcomeIssue) => Pick<OutcomeIssue, 'expression' | 'location'>,
): FhirError {
  return new FhirError(
    status,
    issues.map((issue) => ({ ...issue, ...positionOf(issue) })),
    undefined,
    headers,
  );
}

function unsupported({ index }: BundleEntry): FhirError {
  return badRequest(`the request of Bundle.entry[${index}] is not allowed in a transaction`, 'not-supported');
}
