import type { JsonValue, Resource } from '@tributary/fhir-json';
import { recognizeResource, validateResource } from '@tributary/fhir-validation';
import type { FhirRequest } from '../fhir-http/fhir-request';
import { FhirError, badRequest } from '../fhir-http/fhir-error';

/**
 * The resource that a client sent, once it is known to be valid.
 * @throws FhirError 400 when it is no resource of this type at all, 422 with every fault when it is an invalid one
 */
export async function readResource(request: FhirRequest, type: string): Promise<Resource> {
  return validResource(request, type, await request.body());
}

/** The same for a resource that stands inside another body. */
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
