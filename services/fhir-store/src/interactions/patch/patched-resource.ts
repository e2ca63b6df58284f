import type { JsonValue, Resource } from '@tributary/fhir-json';
import type { StoredVersion } from '@tributary/record-storage';
import { badRequest } from '../../fhir-http/fhir-error';
import type { ReadRequest } from '../../fhir-http/fhir-request';
import { parseResource } from '../../resources/resource-content';
import { versionResponse } from '../read';
import { validResource } from '../valid-resource';

/**
 * Applies a parsed patch to a resource. An error names the operation and contains no values.
 * @throws FhirError 400 when the patch is malformed or exceeds a limit, 422 when it does not fit the resource
 */
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
  const patched = validResource(request, type, patch(resource));
  if (patched.id !== resource.id) throw badRequest('a patch cannot change the id', 'invariant');
  return patched;
}
