import type { JsonValue, Resource } from '@tributary/fhir-json';
import type { StoredVersion } from '@tributary/record-storage';
import { FhirError, badRequest } from '../../fhir-http/fhir-error';
import type { ReadRequest } from '../../fhir-http/fhir-request';
import { parseResource } from '../../resources/resource-content';
import { versionResponse } from '../read';
import { validResource } from '../valid-resource';
import { PatchError } from './patch-error';

/** Applies a parsed patch to a resource. */
export type Patch = (resource: Resource) => JsonValue;

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
