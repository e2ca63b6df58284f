import { perRelease } from '@tributary/fhir-definitions';
import { isJsonObject, type JsonObject, type JsonValue, type Resource } from '@tributary/fhir-json';
import { tagAsConverted } from './conversion-tag';
import { NotConvertible } from './not-convertible';
import { changesOf, convertibleTypes } from './resources';
import { convertContained } from './rules/contained';
import { resourceTypeOf } from './rules/resource-types';
import type { SourceRelease } from './rules/run';
import { TypeConversions } from './rules/type-conversions';

/** Either the resource in R4, or the reason why it cannot be had. A reason names elements and never holds a value of the resource. */
export type Conversion =
  | { readonly resource: Resource; readonly reason?: undefined }
  | { readonly resource?: undefined; readonly reason: string };

const conversionsOf = perRelease((release: SourceRelease) => new TypeConversions(release, changesOf[release]));

/**
 * Converts a dstu2 or stu3 resource of a clinical type to R4. A valid resource becomes a valid one; what R4 has no element for is kept in
 * the standard cross-version extensions. The id, meta.versionId and meta.lastUpdated stay, and a tag says from which release it was converted.
 * The resource itself is not changed, and shares no object with the result but the texts of decimals.
 */
export function convertToR4(release: SourceRelease, resource: Resource): Conversion {
  try {
    return { resource: convert(conversionsOf(release), resource) };
  } catch (error) {
    if (error instanceof NotConvertible) return { reason: error.reason };
    throw error;
  }
}

/** True for the types that convertToR4 converts. */
export function isConvertible(release: SourceRelease, resourceType: string): boolean {
  return convertibleTypes[release].has(resourceType);
}

/** The R4 type that resources of a convertible type become. */
export function convertedType(resourceType: string): string {
  return resourceType === 'MedicationOrder' ? 'MedicationRequest' : resourceType;
}

function convert(types: TypeConversions, resource: JsonValue): Resource {
  if (!isJsonObject(resource)) throw new NotConvertible('A resource must be a JSON object.');
  const type = resourceTypeOf(resource, types.source);
  if (!isConvertible(types.release, type)) throw new NotConvertible(`There is no conversion of ${type} to R4.`);
  const converted = types
    .resource(type)
    .convert(resource, { release: types.release, contained: convertContained(types, resource), depth: 0 });
  const meta: JsonObject = isJsonObject(converted['meta']) ? converted['meta'] : {};
  tagAsConverted(meta, types.release);
  converted['meta'] = meta;
  return converted as Resource;
}
