import { convertedType } from '@tributary/fhir-conversion';
import { type Release, isResourceType, resourceTypes } from '@tributary/fhir-definitions';

/** The segments of a path that can be resource types: `Patient/1`, `Patient/1/Observation`. */
const typeSegments: ReadonlySet<number> = new Set([0, 2]);

/** Replaces R4 types in a path by the stored types that are converted to them. */
export function storedPath(release: Release, segments: readonly string[]): string[] {
  return segments.map((segment, index) =>
    typeSegments.has(index) && !isResourceType(release, segment)
      ? (typeBecoming(release, segment) ?? segment)
      : segment,
  );
}

/** The type of a release that is converted to an R4 type, such as MedicationOrder of dstu2 for MedicationRequest. */
function typeBecoming(release: Release, r4Type: string): string | undefined {
  return resourceTypes(release).find((type) => convertedType(type) === r4Type);
}
