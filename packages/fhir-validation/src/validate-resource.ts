import { perRelease, type Release } from '@tributary/fhir-definitions';
import { isJsonObject, type JsonValue, type Resource } from '@tributary/fhir-json';
import { Findings } from './findings';
import type { Issue } from './issue';
import { containedTypes } from './resource-elements';
import { TypeRules } from './type-rules';

/** Either a resource of the release, whose content is still to be validated, or the reason why it is none. */
export type Recognition =
  | { readonly resource: Resource; readonly issue?: undefined }
  | { readonly resource?: undefined; readonly issue: Issue };

const rulesOf = perRelease((release) => new TypeRules(release));

/** Tells whether a value is a resource at all: an object with a resourceType that the release knows. If not, a server answers 400, not 422. */
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
 * Finds every fault of a resource by the rules of a release: elements, types, cardinality, choices, formats of primitive values,
 * required codes, and the types that references point to. An empty list means that the resource is valid.
 * A value that is no resource at all has one fault, of severity fatal.
 */
export function validateResource(release: Release, value: JsonValue): Issue[] {
  const { resource, issue } = recognizeResource(release, value);
  if (issue) return [issue];
  const findings = new Findings(resource.resourceType);
  findings.contained = containedTypes(resource);
  rulesOf(release).of(resource.resourceType).check(resource, findings);
  return findings.issues;
}
