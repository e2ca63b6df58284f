import type { JsonObject, Resource } from '@tributary/fhir-json';
import { validateResource } from '@tributary/fhir-validation';
import { convertToR4, type SourceRelease } from '../src/index';

/** Converts a resource to R4 and removes its meta. Fails when the source or the result is not valid. */
export function inR4(release: SourceRelease, resource: Resource): JsonObject {
  expect(validateResource(release, resource)).toEqual([]);
  const { resource: converted, reason } = convertToR4(release, resource);
  if (converted === undefined) throw new Error(reason);
  expect(validateResource('r4', converted)).toEqual([]);
  const { meta: _meta, ...content } = converted;
  return content;
}

/** The cross-version extension of an element: https://hl7.org/fhir/R4/versions.html#extensions. */
export function extensionOf(release: SourceRelease, path: string, content: JsonObject): JsonObject {
  return {
    url: `http://hl7.org/fhir/${release === 'dstu2' ? '1.0' : '3.0'}/StructureDefinition/extension-${path}`,
    ...content,
  };
}

/** The data-absent-reason `unknown`, which replaces a value that R4 requires and the source does not have. */
export const UNKNOWN: JsonObject = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
};

/** A CodeableConcept with one coding. */
export function concept(system: string, code: string): JsonObject {
  return { coding: [{ system, code }] };
}
