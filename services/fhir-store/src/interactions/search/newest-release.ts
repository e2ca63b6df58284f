import type { Release } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import { newerReleases, newestReleaseTest, sourceIdsSecret } from '@tributary/record-storage';
import type { FhirRequest } from '../../fhir-http/fhir-request';
import { matching } from './evaluate-search';
import { type Filter, filterOf } from './search-filter';

/**
 * Restricts a filter to resources of the newest release in which the record has their health system
 * (`_releasePerSource=newest`). A health system that offers the same data in several releases is then shown once by the
 * R4 views of all releases together.
 */
export async function ofNewestRelease({ record, release }: FhirRequest, filter: Filter): Promise<Filter> {
  const newer = newerReleases(release);
  const healthSystems = newer.length === 0 ? [] : await record.healthSystems();
  if (healthSystems.length === 0) return filter;
  const patients = new Map<Release, Resource[]>();
  for (const each of newer) {
    const found: Resource[] = [];
    for await (const { resource } of matching(record, await filterOf(record, each, ['Patient'], [])))
      found.push(resource);
    patients.set(each, found);
  }
  const isNewest = newestReleaseTest(await record.secret(sourceIdsSecret), healthSystems, release, patients);
  if (!isNewest) return filter;
  const { matches } = filter;
  return { ...filter, matches: (found) => (matches?.(found) ?? true) && isNewest(found.resource) };
}
