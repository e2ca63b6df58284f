import { convertToR4, isConvertible } from '@tributary/fhir-conversion';
import type { Resource } from '@tributary/fhir-json';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { FhirError, type OutcomeIssue } from '../../fhir-http/fhir-error';

/** A converted resource, or the reason why it cannot be converted. */
export type ConvertedResource =
  | { readonly resource: Resource; readonly issue?: undefined }
  | { readonly resource?: undefined; readonly issue: Pick<OutcomeIssue, 'code' | 'diagnostics'> };

/** Converts a stored resource to R4 and tags it, as a bulk export does. */
export function convertResource({ release }: Pick<FhirRequest, 'release'>, resource: Resource): ConvertedResource {
  if (release === 'r4') return { resource };
  if (!isConvertible(release, resource.resourceType))
    return { issue: { code: 'not-supported', diagnostics: 'there is no conversion of this type to R4' } };
  const converted = convertToR4(release, resource);
  return converted.resource
    ? { resource: converted.resource }
    : { issue: { code: 'processing', diagnostics: `not converted to R4. ${converted.reason}` } };
}

/** Converts the resource of a read to R4. @throws FhirError 406 when it cannot be converted */
export function convertRead(request: FhirRequest, stored: Resource): Resource {
  const { resource, issue } = convertResource(request, stored);
  if (!resource) throw new FhirError(406, `${stored.resourceType}: ${issue.diagnostics}`, issue.code);
  return resource;
}
