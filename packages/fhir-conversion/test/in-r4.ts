import type { JsonObject, Resource } from '@tributary/fhir-json';
import { validateResource } from '@tributary/fhir-validation';
import { convertToR4, type SourceRelease } from '../src/index';

/** A valid resource of the release in R4, without its meta. Fails where the resource, or what it becomes, is not valid. */
export function inR4(release: SourceRelease, resource: Resource): JsonObject {
  expect(validateResource(release, resource)).toEqual([]);
  const { resource: converted, reason } = convertToR4(release, resource);
  if (converted === undefined) throw new Error(reason);
  expect(validateResource('r4', converted)).toEqual([]);
  const { meta: _meta, ...content } = converted;
  return content;
}

/** The extension that carries an element of the release. */
export function extensionOf(release: SourceRelease, path: string, content: JsonObject): JsonObject {
  return {
    url: `http://hl7.org/fhir/${release === 'dstu2' ? '1.0' : '3.0'}/StructureDefinition/extension-${path}`,
    ...content,
  };
}

/** What stands for a value that is required and not known. */
export const UNKNOWN: JsonObject = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
};

/** A concept with one coding. */
export function concept(system: string, code: string): JsonObject {
  return { coding: [{ system, code }] };
}
