import type { JsonObject } from '@tributary/fhir-json';

/** Stands for a value that R4 requires and the older release did not. */
export function unknownValue(): JsonObject {
  return { extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }] };
}

/** Says that the value of a property is unknown unless one of the properties is there. A primitive's name begins with the underscore. */
export function unknownUnless(draft: JsonObject, property: string, alternatives: readonly string[] = [property]): void {
  if (!alternatives.some((alternative) => draft[alternative] !== undefined)) draft[property] = unknownValue();
}
