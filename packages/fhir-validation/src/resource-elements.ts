import { isResourceType, type Release } from '@tributary/fhir-definitions';
import { isJsonObject, type JsonObject } from '@tributary/fhir-json';
import { checkContained } from './invariants';
import type { ObjectRule } from './object-rule';
import type { ValueCheck } from './property-rule';

/**
 * The check of an element whose value is a resource: `contained`, or an entry of a Bundle or Parameters.
 * @param ruleOf the rules of a resource type of the release
 */
export function compileResourceCheck(
  release: Release,
  property: string,
  ruleOf: (type: string) => ObjectRule,
): ValueCheck {
  return (value, findings) => {
    if (!isJsonObject(value)) return findings.fault('structure', `${property} must be an object.`);
    const { resourceType } = value;
    if (typeof resourceType !== 'string')
      return findings.fault('structure', `${property} must be a resource with a resourceType.`);
    if (!isResourceType(release, resourceType))
      return findings.fault('not-supported', `${property} has a resourceType that this release does not define.`);
    if (property === 'contained') {
      checkContained(value, findings);
      ruleOf(resourceType).check(value, findings);
    } else {
      const outer = findings.contained;
      findings.contained = containedTypes(value);
      ruleOf(resourceType).check(value, findings);
      findings.contained = outer;
    }
  };
}

/** The types of the contained resources by id. */
export function containedTypes(resource: JsonObject): ReadonlyMap<string, string> {
  const { contained } = resource;
  if (!Array.isArray(contained)) return NONE;
  const types = new Map<string, string>();
  for (const { id, resourceType } of contained.filter(isJsonObject)) {
    if (typeof id === 'string' && typeof resourceType === 'string')
      types.set(id.startsWith('#') ? id.slice(1) : id, resourceType);
  }
  return types;
}

const NONE: ReadonlyMap<string, string> = new Map<string, string>();
