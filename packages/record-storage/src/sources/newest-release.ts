import { type Release, releases } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import { SourceIds, sourceReferenceOf } from './source-ids';

/** What decides which resources of a record are of the newest release of their health system. */
export interface ReleasesOfRecord {
  /** The ids of the health systems from which the record was collected. */
  healthSystems(): Promise<readonly number[]>;
  /** `sourceIdsSecret` of the record. */
  secret(): Promise<Buffer>;
  /** The Patients of the record in a release. */
  patients(release: Release): AsyncIterable<Resource>;
}

/**
 * The test whether a resource of a release is of the newest release in which the record has its health system. A record
 * has a release of a health system when it holds a Patient of it: each collection begins with the Patient. Resources
 * that were not collected pass.
 * @returns undefined when every resource passes
 */
export async function newestReleaseTest(
  record: ReleasesOfRecord,
  release: Release,
): Promise<((resource: Resource) => boolean) | undefined> {
  const newer = releases.slice(releases.indexOf(release) + 1);
  if (newer.length === 0) return undefined;
  const healthSystems = await record.healthSystems();
  if (healthSystems.length === 0) return undefined;
  const secret = await record.secret();
  const superseded = new Set<number>();
  for (const each of newer) {
    const ids = healthSystems.map((healthSystem) => [healthSystem, new SourceIds(secret, healthSystem, each)] as const);
    for await (const patient of record.patients(each))
      for (const [healthSystem, source] of ids)
        if (sourceReferenceOf(source, patient) !== undefined) superseded.add(healthSystem);
  }
  if (superseded.size === 0) return undefined;
  const sources = [...superseded].map((healthSystem) => new SourceIds(secret, healthSystem, release));
  return (resource) => sources.every((source) => sourceReferenceOf(source, resource) === undefined);
}
