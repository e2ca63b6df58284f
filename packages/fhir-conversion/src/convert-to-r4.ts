import { perRelease } from '@tributary/fhir-definitions';
import { isJsonObject, type JsonObject, type JsonValue, type Resource } from '@tributary/fhir-json';
import { tagAsConverted } from './conversion-tag';
import { NotConvertible } from './not-convertible';
import { rulesOfRelease, convertibleTypes } from './resources';
import { convertContained } from './rules/contained';
import { resourceTypeOf } from './rules/resource-types';
import type { SourceRelease } from './rules/context';
import { TypeConversions } from './rules/type-conversions';

/**
 * Either the resource in R4, or the reason why it cannot be converted. A reason names elements and does not contain
 * their values.
 */
export type Conversion =
  | { readonly resource: Resource; readonly reason?: undefined }
  | { readonly resource?: undefined; readonly reason: string };

const conversionsOf = perRelease((release: SourceRelease) => new TypeConversions(release, rulesOfRelease[release]));

/**
 * Converts a DSTU2 or STU3 resource of a clinical type to R4. The result of a valid resource is valid. Elements that R4
 * does not have are written to the standard cross-version extensions
 * (https://hl7.org/fhir/R4/versions.html#extensions). The id, meta.versionId and meta.lastUpdated are unchanged, and a
 * tag names the source release. The source resource is not modified and shares only DecimalText objects with the
 * result.
 */
export function convertToR4(release: SourceRelease, resource: Resource): Conversion {
  try {
    return { resource: convert(conversionsOf(release), resource) };
  } catch (error) {
    if (error instanceof NotConvertible) return { reason: error.reason };
    throw error;
  }
}

/** Whether convertToR4 converts resources of a type. */
export function isConvertible(release: SourceRelease, resourceType: string): boolean {
  return convertibleTypes[release].has(resourceType);
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
