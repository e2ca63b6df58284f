import type { JsonValue, Resource } from '@tributary/fhir-json';
import { recognizeResource, validateResource } from '@tributary/fhir-validation';
import type { FhirRequest } from '../fhir-http/fhir-request';
import { FhirError, badRequest } from '../fhir-http/fhir-error';

/**
 * Validates a resource that a client sent.
 * @param type the type in the URL; undefined: any
 * @throws FhirError 400 when the value is not a resource of this type, 422 with all issues when the resource is invalid
 */
export function validResource(
  { release }: Pick<FhirRequest, 'release'>,
  type: string | undefined,
  value: JsonValue | undefined,
): Resource {
  const { resource, issue } = recognizeResource(release, value ?? null);
  if (issue) throw new FhirError(400, [issue]);
  if (type !== undefined && resource.resourceType !== type)
    throw badRequest(`the resource is not of the type of the address, ${type}`);
  const issues = validateResource(release, resource);
  if (issues.length > 0) throw new FhirError(422, issues);
  return resource;
}
