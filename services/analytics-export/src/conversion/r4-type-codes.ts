import { convertedType, isConvertible } from '@tributary/fhir-conversion';
import { isResourceType, releases, resourceTypes } from '@tributary/fhir-definitions';
import { type TypeCode, typeCodeOf, releaseOfCode, typeOfCode } from '@tributary/record-storage';

/** The type codes of a type in every release that defines it. Empty for an unknown type. */
export function typeCodesOf(type: string): TypeCode[] {
  return releases.filter((release) => isResourceType(release, type)).map((release) => typeCodeOf(release, type));
}

/** The R4 type code under which an export in R4 lists resources of a type code. */
export function r4TypeCodeOf(typeCode: TypeCode): TypeCode {
  return typeCodeOf('r4', convertedType(typeOfCode(typeCode)));
}

/**
 * Whether an export in R4 can contain resources of a type code: they are R4, or there is a conversion of their type.
 */
export function canBeInR4(typeCode: TypeCode): boolean {
  const release = releaseOfCode(typeCode);
  return release === 'r4' || isConvertible(release, typeOfCode(typeCode));
}

/**
 * The type codes that an export in R4 lists under a type: the type in every release, and older types that are converted
 * to it, such as MedicationOrder of DSTU2 for MedicationRequest.
 */
export function typeCodesBecoming(type: string): TypeCode[] {
  const converted = releases.flatMap((release) =>
    resourceTypes(release)
      .filter((other) => other !== type && convertedType(other) === type)
      .map((other) => typeCodeOf(release, other)),
  );
  return [...typeCodesOf(type), ...converted];
}
