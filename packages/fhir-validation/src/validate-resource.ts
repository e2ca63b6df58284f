import { perRelease, type Release } from '@tributary/fhir-definitions';
import { isJsonObject, type JsonValue, type Resource } from '@tributary/fhir-json';
import { Findings } from './findings';
import type { Issue } from './issue';
import { containedTypes } from './resource-elements';
import { TypeRules } from './type-rules';

/** Either a resource of the release, whose content is not yet validated, or the reason why the value is no resource. */
export type Recognition =
  | { readonly resource: Resource; readonly issue?: undefined }
  | { readonly resource?: undefined; readonly issue: Issue };

const rulesOf = perRelease((release) => new TypeRules(release));

/**
 * Checks that a value is an object with a resourceType of the release. The HTTP status for other values is 400, that
 * for invalid content 422.
 */
export function recognizeResource(release: Release, value: JsonValue): Recognition {
  if (!isJsonObject(value))
    return { issue: { severity: 'fatal', code: 'structure', diagnostics: 'A resource must be a JSON object.' } };
  const { resourceType } = value;
  if (typeof resourceType !== 'string')
    return {
      issue: {
        severity: 'fatal',
        code: 'structure',
        diagnostics: 'A resource must have a resourceType, which is a string.',
      },
    };
  if (!rulesOf(release).isResourceType(resourceType)) {
    return {
      issue: {
        severity: 'fatal',
        code: 'not-supported',
        diagnostics: `FHIR ${rulesOf(release).model.version} has no resource type of this resourceType.`,
      },
    };
  }
  return { resource: value as Resource };
}

/**
 * Validates a resource by the rules of a release (https://hl7.org/fhir/R4/validation.html): elements, types,
 * cardinality, choices, formats of primitive values, codes of required bindings, and types of references.
 * @returns an issue for each fault, up to `MAX_ISSUES`; empty when the resource is valid. A value that is no resource
 *   has one issue of severity fatal.
 */
export function validateResource(release: Release, value: JsonValue): Issue[] {
  const { resource, issue } = recognizeResource(release, value);
  if (issue) return [issue];
  const findings = new Findings(resource.resourceType);
  findings.contained = containedTypes(resource);
  rulesOf(release).of(resource.resourceType).check(resource, findings);
  return findings.issues;
}
