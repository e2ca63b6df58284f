import { type Release, numberOfType, typeOfNumber } from '@tributary/fhir-definitions';

/**
 * A release and a resource type as one number (smallint): the column `type_code` of stored rows, and part of the
 * associated data of sealed blocks. Codes are never renumbered; releases are only appended.
 */
export type TypeCode = number;

const TYPES_PER_RELEASE = 1000;
const releaseCodes: Readonly<Record<Release, number>> = { dstu2: 1, stu3: 2, r4: 3 };
const releases = new Map(Object.entries(releaseCodes).map(([release, code]) => [code, release as Release]));

/** The code of a resource type in a release. @throws RangeError for a type that no release has */
export function typeCodeOf(release: Release, type: string): TypeCode {
  return releaseCodes[release] * TYPES_PER_RELEASE + numberOfType(type);
}

/** The resource type of a code. */
export function typeOfCode(typeCode: TypeCode): string {
  return typeOfNumber(typeCode % TYPES_PER_RELEASE);
}

/** The release of a code. @throws RangeError for a code of no release */
export function releaseOfCode(typeCode: TypeCode): Release {
  const release = releases.get(Math.floor(typeCode / TYPES_PER_RELEASE));
  if (release === undefined) throw new RangeError(`no release has the type code ${typeCode}`);
  return release;
}
