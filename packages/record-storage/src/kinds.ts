import { type Release, typeCode, typeOfCode } from '@tributary/fhir-definitions';

/** Release and resource type as one small number: what stored rows carry. Never renumber: releases are only appended. */
export type Kind = number;

const KINDS_PER_RELEASE = 1000;
const releaseCodes: Readonly<Record<Release, number>> = { dstu2: 1, stu3: 2, r4: 3 };
const releaseOfCode = new Map(Object.entries(releaseCodes).map(([release, code]) => [code, release as Release]));

/** The kind of a resource type in a release. @throws RangeError for a type that no release knows */
export function kindOf(release: Release, type: string): Kind {
  return releaseCodes[release] * KINDS_PER_RELEASE + typeCode(type);
}

/** The resource type of a kind. */
export function typeOfKind(kind: Kind): string {
  return typeOfCode(kind % KINDS_PER_RELEASE);
}

/** The release of a kind. */
export function releaseOfKind(kind: Kind): Release {
  const release = releaseOfCode.get(Math.floor(kind / KINDS_PER_RELEASE));
  if (release === undefined) throw new RangeError(`no release has the kind ${kind}`);
  return release;
}
