import { convertedType, isConvertible } from '@tributary/fhir-conversion';
import { releases, resourceTypes } from '@tributary/fhir-definitions';
import { type TypeCode, typeCodeOf, releaseOfCode, typeOfCode } from '@tributary/record-storage';
import { kindsOfType } from '../requests/kinds-of-types';

/** The R4 kind under which resources of a kind are exported in R4, or told to be left out. */
export function r4KindOf(typeCode: TypeCode): TypeCode {
  return typeCodeOf('r4', convertedType(typeOfCode(typeCode)));
}

/** Whether resources of a kind can be had in R4: they are, or there is a conversion. */
export function canBeInR4(typeCode: TypeCode): boolean {
  const release = releaseOfCode(typeCode);
  return release === 'r4' || isConvertible(release, typeOfCode(typeCode));
}

/** The type in every release that knows it, and the kinds that become it: of MedicationRequest also the MedicationOrder of DSTU2. */
export function kindsInR4(type: string): TypeCode[] {
  const becoming = releases.flatMap((release) =>
    resourceTypes(release)
      .filter((other) => other !== type && convertedType(other) === type)
      .map((other) => typeCodeOf(release, other)),
  );
  return [...kindsOfType(type), ...becoming];
}
