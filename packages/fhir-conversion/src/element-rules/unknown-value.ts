import type { JsonObject } from '@tributary/fhir-json';

/** The data-absent-reason `unknown`, for a value that R4 requires and the source does not have. */
function unknownValue(): JsonObject {
  return { extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }] };
}

/**
 * Sets a property to an unknown value unless one of the alternatives exists.
 * @param property for a primitive, the name with the underscore
 */
export function unknownUnless(draft: JsonObject, property: string, alternatives: readonly string[] = [property]): void {
  if (!alternatives.some((alternative) => draft[alternative] !== undefined)) draft[property] = unknownValue();
}
