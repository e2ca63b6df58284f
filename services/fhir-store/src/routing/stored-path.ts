import { convertedType } from '@tributary/fhir-conversion';
import { type Release, isResourceType, resourceTypes } from '@tributary/fhir-definitions';

/** Where an address can name a resource type: `Patient/1`, `Patient/1/Observation`. */
const typeSegments: ReadonlySet<number> = new Set([0, 2]);

/** An address as the release has it, when it may use the names of R4: what is a MedicationRequest there is a MedicationOrder in dstu2. */
export function storedPath(release: Release, segments: readonly string[]): string[] {
  return segments.map((segment, index) =>
    typeSegments.has(index) && !isResourceType(release, segment)
      ? (typeBecoming(release, segment) ?? segment)
      : segment,
  );
}

function typeBecoming(release: Release, r4Type: string): string | undefined {
  return resourceTypes(release).find((type) => convertedType(type) === r4Type);
}
