import { perRelease } from '../per-release';
import type { Release } from '../release';
import { typesOfRelease } from './types-of-release';

export { numberOfType, typeOfNumber } from './type-number';

const typeSet = perRelease((release): ReadonlySet<string> => new Set(typesOfRelease[release]));

/** The concrete resource types of a release, in alphabetical order: https://hl7.org/fhir/R4/resourcelist.html. */
export function resourceTypes(release: Release): readonly string[] {
  return typesOfRelease[release];
}

/** Whether a release has a concrete resource type of this name. */
export function isResourceType(release: Release, type: string): boolean {
  return typeSet(release).has(type);
}
