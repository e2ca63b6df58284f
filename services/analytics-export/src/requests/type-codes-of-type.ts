import { isResourceType, releases } from '@tributary/fhir-definitions';
import { type TypeCode, typeCodeOf } from '@tributary/record-storage';

/** The type in every release that knows it: an export holds all of them. Empty for a type that none knows. */
export function typeCodesOf(type: string): TypeCode[] {
  return releases.filter((release) => isResourceType(release, type)).map((release) => typeCodeOf(release, type));
}
