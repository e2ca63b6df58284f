import type { Release } from '@tributary/fhir-definitions';
import type { Resource } from '@tributary/fhir-json';
import { type RecordReader, newestReleaseTest, sourceIdsSecret } from '@tributary/record-storage';
import type { FhirRequest } from '../../../fhir-http/fhir-request';
import { matching } from './evaluate-search';
import { type Filter, filterOf } from './search-filter';

/**
 * Restricts a filter to resources of the newest release in which the record has their health system
 * (`_releasePerSource=newest`). A health system that offers the same data in several releases is then shown once by the
 * R4 views of all releases together.
 */
export async function ofNewestRelease({ record, release }: FhirRequest, filter: Filter): Promise<Filter> {
  const isNewest = await newestReleaseTest(
    {
      healthSystems: () => record.healthSystems(),
      secret: () => record.secret(sourceIdsSecret),
      patients: (newer) => readPatients(record, newer),
    },
    release,
  );
  if (!isNewest) return filter;
  const { matches } = filter;
  return { ...filter, matches: (found) => (matches?.(found) ?? true) && isNewest(found.resource) };
}

async function* readPatients(record: RecordReader, release: Release): AsyncGenerator<Resource> {
  for await (const { resource } of matching(record, await filterOf(record, release, ['Patient'], []))) yield resource;
}
