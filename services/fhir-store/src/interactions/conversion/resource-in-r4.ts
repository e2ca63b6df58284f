import { convertToR4, isConvertible } from '@tributary/fhir-conversion';
import type { Resource } from '@tributary/fhir-json';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { FhirError, type OutcomeIssue } from '../../fhir-http/fhir-error';

/** Either a resource as it is shown, or what tells why it cannot be. */
export type ConvertedResource =
  | { readonly resource: Resource; readonly issue?: undefined }
  | { readonly resource?: undefined; readonly issue: Pick<OutcomeIssue, 'code' | 'diagnostics'> };

/** Whether the resources of the answer are shown in R4, though the record holds them in an older release. */
export function isConvertedToR4({
  release,
  responseRelease,
}: Pick<FhirRequest, 'release' | 'responseRelease'>): boolean {
  return responseRelease !== release;
}

/** A resource of the record in R4, converted and marked as in a bulk export. */
export function convertResource({ release }: Pick<FhirRequest, 'release'>, resource: Resource): ConvertedResource {
  if (release === 'r4') return { resource };
  if (!isConvertible(release, resource.resourceType))
    return { issue: { code: 'not-supported', diagnostics: 'there is no conversion of this type to R4' } };
  const converted = convertToR4(release, resource);
  return converted.resource
    ? { resource: converted.resource }
    : { issue: { code: 'processing', diagnostics: `not converted to R4. ${converted.reason}` } };
}

/** The resource that a read asks for in R4. @throws FhirError 406 when it cannot be had so */
export function convertRead(request: FhirRequest, stored: Resource): Resource {
  const { resource, issue } = convertResource(request, stored);
  if (!resource) throw new FhirError(406, `${stored.resourceType}: ${issue.diagnostics}`, issue.code);
  return resource;
}
