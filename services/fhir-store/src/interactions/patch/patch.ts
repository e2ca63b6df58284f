import type { JsonValue, Resource } from '@tributary/fhir-json';
import {
  type ChangeOutcome,
  type StoredVersion,
  VersionConflictError,
  typeCodeOf,
  isResourceId,
} from '@tributary/record-storage';
import type { FhirResponse } from '../../fhir-http/fhir-response';
import type { FhirRequest, ReadRequest } from '../../fhir-http/fhir-request';
import { FhirError, badRequest, notFound } from '../../fhir-http/fhir-error';
import { isJson } from '../../fhir-http/content-negotiation';
import { parseBody } from '../../fhir-http/request-body';
import { clientContent, parseResource } from '../../resources/resource-content';
import { changeResponse } from '../conditional/conditional-create';
import { assertExpectedMatch } from '../conditional/conditional-update';
import { onlyMatch } from '../conditional/matches';
import { withRecordLock } from '../conditional/with-record-lock';
import { expectedVersion } from '../expected-version';
import { versionResponse } from '../read';
import { validResource } from '../valid-resource';
import { writeResponse } from '../write-response';
import { isParameters } from '../operations/parameters';
import { applyFhirPathPatch } from './fhirpath-patch';
import { applyJsonPatch } from './json-patch';
import { PatchError } from './patch-error';

/** Applies a parsed patch to a resource. */
export type Patch = (resource: Resource) => JsonValue;

const attempts = 10;

/**
 * `PATCH /{release}/{Type}/{id}` with a JSON Patch, or in r4 a FHIRPath Patch
 * (https://hl7.org/fhir/R4/http.html#patch).
 * @throws FhirError 400 for an invalid patch, 404 or 410 without the resource, 412 when If-Match fails, 415 for another
 * media type, 422 when the patch does not fit the resource or the result is invalid
 */
export async function patchInstance(request: FhirRequest, type: string, id: string): Promise<FhirResponse> {
  return patchWith(request, type, id, await readPatch(request));
}

/**
 * `PATCH /{release}/{Type}?criteria` (https://hl7.org/fhir/R4/http.html#patch).
 * @throws FhirError as `patchInstance`; 412 also when several resources match
 */
export async function conditionalPatch(request: FhirRequest, type: string): Promise<FhirResponse> {
  const patch = await readPatch(request);
  let expected: number | undefined;
  return withRecordLock(
    request,
    async (locked) => {
      const match = await onlyMatch(locked, type, request.query);
      if (!match) throw notFound(type);
      const { typeCode, id, version } = match;
      expected = await expectedVersion(locked, type, id);
      assertExpectedMatch(match, expected);
      const stored = await locked.record.read(typeCode, id);
      if (stored?.version !== version) throw new VersionConflictError(typeCode, id, version, stored?.version);
      const patched = patchedResource(locked, type, stored, patch);
      const [written] = await locked.record.write(
        [{ typeCode, id, ...clientContent(request, patched), expectedVersion: version }],
        { returnJson: true },
      );
      return changeResponse(request, written as ChangeOutcome);
    },
    (conflict) => conflict.expected === expected,
  );
}

async function patchWith(request: FhirRequest, type: string, id: string, patch: Patch): Promise<FhirResponse> {
  if (!isResourceId(id)) throw notFound(type);
  const typeCode = typeCodeOf(request.release, type);
  const expected = await expectedVersion(request, type, id);
  for (let attempt = 1; ; attempt++) {
    const stored = await request.record.read(typeCode, id);
    if (expected !== undefined && stored?.version !== expected)
      throw new VersionConflictError(typeCode, id, expected, stored?.version);
    const patched = patchedResource(request, type, stored, patch);
    try {
      return writeResponse(
        request,
        200,
        await request.record.update(typeCode, id, clientContent(request, patched), stored?.version),
      );
    } catch (error) {
      // Without If-Match the patch is applied to the newer version.
      if (!(error instanceof VersionConflictError) || expected !== undefined || attempt === attempts) throw error;
    }
  }
}

/**
 * The patched resource.
 * @throws FhirError 400 or 422 when the patch fails, changes the id or makes the resource invalid; 404 or 410 without
 * the resource
 */
export function patchedResource(
  request: ReadRequest,
  type: string,
  stored: StoredVersion | undefined,
  patch: Patch,
): Resource {
  const { body } = versionResponse({ ...request, headers: {} }, type, stored);
  const resource = parseResource(body as Buffer);
  const patched = validResource(request, type, applied(patch, resource));
  if (patched.id !== resource.id) throw badRequest('a patch cannot change the id', 'invariant');
  return patched;
}

const statusOf = { malformed: 400, conflict: 422, 'too-costly': 400 } as const;
const issueCodeOf = { malformed: 'structure', conflict: 'processing', 'too-costly': 'too-costly' } as const;

function applied(patch: Patch, resource: Resource): JsonValue {
  try {
    return patch(resource);
  } catch (error) {
    if (error instanceof PatchError)
      throw new FhirError(statusOf[error.reason], error.message, issueCodeOf[error.reason]);
    throw error;
  }
}

async function readPatch(request: FhirRequest): Promise<Patch> {
  if (request.contentType === 'application/json-patch+json') {
    const patch = parseBody(await request.text());
    return (resource) => applyJsonPatch(resource, patch);
  }
  if (request.release !== 'r4' || !isJson(request.contentType)) throw notAPatch(request);
  const parameters = await request.body();
  if (!isParameters(parameters)) throw notAPatch(request);
  return (resource) => applyFhirPathPatch(resource, parameters);
}

/**
 * The error for a body of another media type than that of a patch. Accept-Patch lists these (RFC 5789, section 3.1).
 */
function notAPatch({ release }: FhirRequest): FhirError {
  const fhirPath = release === 'r4' ? ', or a FHIRPath Patch (a Parameters resource) as application/fhir+json' : '';
  return new FhirError(415, `send a JSON Patch as application/json-patch+json${fhirPath}`, 'not-supported', {
    'Accept-Patch': `application/json-patch+json${release === 'r4' ? ', application/fhir+json' : ''}`,
  });
}
