import { type FhirVersion, type HealthSystemEndpoint, fhirVersion } from '@tributary/contracts';

/** The releases that endpoints offer together, oldest first. */
export function offeredReleases(endpoints: readonly HealthSystemEndpoint[]): FhirVersion[] {
  return fhirVersion.options.filter((release) => endpoints.some((endpoint) => endpoint.fhirVersion === release));
}
