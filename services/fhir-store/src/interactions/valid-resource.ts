import { type JsonValue, type Resource, hasMoreMembers, isJsonObject } from '@tributary/fhir-json';
import { recognizeResource, validateResource } from '@tributary/fhir-validation';
import type { FhirRequest } from '../fhir-http/fhir-request';
import { FhirError, badRequest } from '../fhir-http/fhir-error';
import { maxMembers } from '../fhir-http/limits';
import { withBirthDateAsDate } from './patient-birth-date';

/**
 * Validates a resource that a client sent.
 * @param type the type in the URL; undefined: any
 * @throws FhirError 400 when the value is not a resource of this type, 413 when it has too many members, 422 with all
 * issues when it is invalid
 */
export function validResource(
  { release }: Pick<FhirRequest, 'release'>,
  type: string | undefined,
  value: JsonValue | undefined,
): Resource {
  const { resource: recognized, issue } = recognizeResource(release, value ?? null);
  if (issue) throw new FhirError(400, [issue]);
  if (type !== undefined && recognized.resourceType !== type)
    throw badRequest(`the resource is not of the type of the address, ${type}`);
  assertFewMembers(recognized);
  const resource = withBirthDateAsDate(recognized);
  const issues = validateResource(release, resource);
  if (issues.length > 0) throw new FhirError(422, issues);
  return resource;
}

/** @throws FhirError 413 when a resource has more members than may be stored or validated */
export function assertFewMembers(resource: Resource): void {
  if (hasMoreMembers(resource, maxMembers.resource))
    throw new FhirError(413, `the resource has more than ${maxMembers.resource} elements`, 'too-long');
}

const subsettedSystem =
  /^(?:http:\/\/terminology\.hl7\.org\/CodeSystem\/v3-|http:\/\/hl7\.org\/fhir\/v3\/)ObservationValue$/;

/**
 * Refuses an update by a part of a resource, which would delete the other elements
 * (https://hl7.org/fhir/R4/search.html#elements).
 * @throws FhirError 422 when the resource has the tag SUBSETTED
 */
export function assertWhole({ resourceType, meta }: Resource): void {
  const tags: readonly JsonValue[] = Array.isArray(meta?.['tag']) ? meta['tag'] : [];
  const isPart = tags.some((tag) => {
    if (!isJsonObject(tag) || tag['code'] !== 'SUBSETTED') return false;
    const { system } = tag;
    return system === undefined || (typeof system === 'string' && subsettedSystem.test(system));
  });
  if (!isPart) return;
  throw new FhirError(422, [
    {
      severity: 'error',
      code: 'business-rule',
      diagnostics:
        'an update by a part of a resource (tag SUBSETTED) would delete the other elements: read the resource without _summary and _elements, or remove the tag from a whole resource',
      expression: `${resourceType}.meta.tag`,
      location: `/f:${resourceType}/f:meta/f:tag`,
    },
  ]);
}
