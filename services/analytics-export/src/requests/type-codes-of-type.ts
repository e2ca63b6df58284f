import { isResourceType, releases } from '@tributary/fhir-definitions';
import { type TypeCode, typeCodeOf } from '@tributary/record-storage';

/** The type codes of a type in every release that defines it. Empty for an unknown type. */
export function typeCodesOf(type: string): TypeCode[] {
  return releases.filter((release) => isResourceType(release, type)).map((release) => typeCodeOf(release, type));
}
