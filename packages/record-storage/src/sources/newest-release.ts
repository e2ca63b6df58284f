import { type Release, releases } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import { SourceIds, sourceReferenceOf } from './source-ids';

/** The releases that are newer than a release. */
export function newerReleases(release: Release): readonly Release[] {
  return releases.slice(releases.indexOf(release) + 1);
}

/**
 * The test whether a resource of a release is of the newest release in which the record has its health system. A record
 * has a release of a health system when it holds a Patient of it: each collection begins with the Patient. Resources
 * that were not collected pass.
 * @param secret `sourceIdsSecret` of the record
 * @param healthSystems the health systems from which the record was collected
 * @param newerPatients the Patients of the record, by newer release
 * @returns undefined when every resource passes
 */
export function newestReleaseTest(
  secret: Buffer,
  healthSystems: readonly number[],
  release: Release,
  newerPatients: ReadonlyMap<Release, readonly Resource[]>,
): ((resource: Resource) => boolean) | undefined {
  const superseded = healthSystems.filter((healthSystem) =>
    [...newerPatients].some(([newer, patients]) => {
      const ids = new SourceIds(secret, healthSystem, newer);
      return patients.some((patient) => sourceReferenceOf(ids, patient) !== undefined);
    }),
  );
  if (superseded.length === 0) return undefined;
  const sources = superseded.map((healthSystem) => new SourceIds(secret, healthSystem, release));
  return (resource) => sources.every((source) => sourceReferenceOf(source, resource) === undefined);
}
