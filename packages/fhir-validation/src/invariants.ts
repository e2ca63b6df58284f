import { isJsonObject, type JsonObject } from '@tributary/fhir-json';
import type { Findings } from './findings';
import type { ObjectInvariant } from './object-rule';

/** ext-1 (https://hl7.org/fhir/R4/extensibility.html#inv): an extension has either a value or extensions. */
function extensionHasOneContent(extension: JsonObject, findings: Findings): void {
  let values = 0;
  for (const name in extension) if (name.startsWith('value') || name.startsWith('_value')) values++;
  const nested = extension['extension'] !== undefined;
  if (nested === values > 0)
    findings.fault('invariant', 'An extension must have either a value or extensions of its own.');
}

/**
 * dom-2 and dom-4 (https://hl7.org/fhir/R4/domainresource.html#invs): a contained resource has no contained resources
 * and no version.
 */
export function checkContained(resource: JsonObject, findings: Findings): void {
  if (resource['contained'] !== undefined) findings.fault('invariant', 'A contained resource may not contain others.');
  const { meta } = resource;
  if (isJsonObject(meta) && (meta['versionId'] !== undefined || meta['lastUpdated'] !== undefined)) {
    findings.fault('invariant', 'A contained resource may not have meta.versionId or meta.lastUpdated.');
  }
}

/** Rules about objects as a whole, by type. */
export const invariantsOf: ReadonlyMap<string, readonly ObjectInvariant[]> = new Map([
  ['Extension', [extensionHasOneContent]],
]);
