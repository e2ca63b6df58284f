import { isResourceType } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import { VersionConflictError, kindOf } from '@tributary/record-storage';
import type { Call } from '../../http/call';
import { FhirError, badRequest, notFound } from '../../http/fhir-error';
import { isResourceId, newResourceId } from '../../records/resource-id';
import { criteriaIn, idForCriteria, matchesOf, onlyMatch } from '../conditional/matches';
import { expectedVersion } from '../expected-version';
import { isParameters } from '../operations/parameters';
import { applyFhirPathPatch } from '../patch/fhirpath-patch';
import { patchedResource } from '../patch/patch';
import { validResource } from '../read-resource';
import { assertAssignable } from '../update';
import { type BundleEntry, segmentsOf } from './bundle-entry';
import { callOfEntry } from './entry-call';

/** What an entry of a transaction will do, decided before anything is written. */
export type PlannedWrite =
  | { readonly does: 'store'; readonly entry: BundleEntry; readonly type: string; readonly id: string; readonly resource: Resource; readonly expectedVersion: number | undefined }
  | { readonly does: 'keep'; readonly entry: BundleEntry; readonly type: string; readonly id: string }
  | { readonly does: 'delete'; readonly entry: BundleEntry; readonly type: string; readonly ids: readonly string[]; readonly expectedVersion: number | undefined };

/** Decides which resource an entry is about; conditions are answered by what the record holds before the transaction. */
export async function planWrite(transaction: Call, entry: BundleEntry): Promise<PlannedWrite> {
  const call = callOfEntry(transaction, entry);
  const { method, place } = entry;
  const segments = segmentsOf(entry);
  const [type, id] = segments;
  if (type === undefined || segments.length > 2 || !isResourceType(call.release, type)) throw unsupported(place);
  switch (method) {
    case 'POST':
      if (id !== undefined) throw unsupported(place);
      return planCreate(call, entry, type);
    case 'PUT':
      return id === undefined ? planConditionalUpdate(call, entry, type) : planUpdate(call, entry, type, id, resourceOf(entry, type));
    case 'PATCH':
      return planPatch(call, entry, type, id);
    case 'DELETE':
      return planDelete(call, entry, type, id);
    default:
      throw unsupported(place);
  }
}

async function planCreate(call: Call, entry: BundleEntry, type: string): Promise<PlannedWrite> {
  const resource = resourceOf(entry, type);
  const { ifNoneExist } = call.headers;
  if (ifNoneExist === undefined) return { does: 'store', entry, type, id: newResourceId(), resource, expectedVersion: undefined };
  const criteria = criteriaIn(ifNoneExist);
  const match = await onlyMatch(call, type, criteria);
  if (match) return { does: 'keep', entry, type, id: match.id };
  return { does: 'store', entry, type, id: await idForCriteria(call, type, criteria), resource, expectedVersion: 0 };
}

async function planUpdate(call: Call, entry: BundleEntry, type: string, id: string, resource: Resource): Promise<PlannedWrite> {
  if (resource.id !== undefined && resource.id !== id) throw badRequest(`Bundle.entry[${entry.place}].resource must have the id of the request's url`);
  assertAssignable(id);
  return { does: 'store', entry, type, id, resource, expectedVersion: await expectedVersion(call, type, id) };
}

async function planConditionalUpdate(call: Call, entry: BundleEntry, type: string): Promise<PlannedWrite> {
  const resource = resourceOf(entry, type);
  const match = await onlyMatch(call, type, call.query);
  if (match) return planUpdate(call, entry, type, match.id, resource);
  const id = isAssigned(resource.id) ? resource.id : await idForCriteria(call, type, call.query);
  return { does: 'store', entry, type, id, resource, expectedVersion: 0 };
}

/** Only a FHIRPath Patch can stand in a Bundle: a JSON Patch is no resource. It is for the version that it was applied to. */
async function planPatch(call: Call, entry: BundleEntry, type: string, id: string | undefined): Promise<PlannedWrite> {
  const { resource: parameters, place } = entry;
  if (call.release !== 'r4' || parameters === undefined || !isParameters(parameters)) throw badRequest(`Bundle.entry[${place}].resource must be a FHIRPath Patch, a Parameters resource of r4`, 'not-supported');
  const target = id ?? (await onlyMatch(call, type, call.query))?.id;
  if (target === undefined || !isResourceId(target)) throw notFound(type);
  const kind = kindOf(call.release, type);
  const stored = await call.record.read(kind, target);
  const expected = await expectedVersion(call, type, target);
  if (expected !== undefined && stored?.version !== expected) throw new VersionConflictError(kind, target, expected, stored?.version);
  const resource = patchedResource(call, type, stored, (current) => applyFhirPathPatch(current, parameters));
  return { does: 'store', entry, type, id: target, resource, expectedVersion: stored?.version };
}

async function planDelete(call: Call, entry: BundleEntry, type: string, id: string | undefined): Promise<PlannedWrite> {
  if (id === undefined) return { does: 'delete', entry, type, ids: (await matchesOf(call, type, call.query)).map((match) => match.id), expectedVersion: undefined };
  if (!isResourceId(id)) return { does: 'delete', entry, type, ids: [], expectedVersion: undefined };
  return { does: 'delete', entry, type, ids: [id], expectedVersion: await expectedVersion(call, type, id) };
}

/** A urn in the place of an id is what other entries call the resource, not an id. */
function isAssigned(id: string | undefined): id is string {
  return id !== undefined && isResourceId(id);
}

/** The resource of an entry; validated once its references are known. */
function resourceOf({ resource, place }: BundleEntry, type: string): Resource {
  if (resource === undefined) throw badRequest(`Bundle.entry[${place}] has no resource`, 'required');
  if (typeof resource !== 'object' || resource === null || !('resourceType' in resource) || resource['resourceType'] !== type) throw badRequest(`Bundle.entry[${place}].resource is not of the type of the request's url, ${type}`);
  return resource as Resource;
}

/** The resource without fault. @throws FhirError 422 whose expressions begin at the Bundle */
export function validated(call: Call, { entry, type, id }: Extract<PlannedWrite, { does: 'store' }>, resource: Resource): Resource {
  try {
    return validResource(call, type, { ...resource, id });
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    const prefix = `Bundle.entry[${entry.place}].resource`;
    throw new FhirError(error.status, error.issues.map((issue) => ({ ...issue, expression: issue.expression?.replace(/^\w+/, prefix) ?? prefix, location: issue.location?.replace(/^\/f:\w+/, `/f:Bundle/f:entry[${entry.place + 1}]/f:resource/f:${type}`) ?? `/f:Bundle/f:entry[${entry.place + 1}]` })));
  }
}

function unsupported(place: number): FhirError {
  return badRequest(`the request of Bundle.entry[${place}] cannot stand in a transaction`, 'not-supported');
}

