import { type FhirVersion, type HealthSystemEndpoint, fhirVersion } from '@tributary/contracts';

/** A postal address; fields that were not published are absent. */
export interface PostalAddress {
  text?: string;
  line?: string[];
  city?: string;
  state?: string;
  postalCode?: string;
  country?: string;
}

/** Whether the country of an address is the United States, as it is without one. */
export function isInUnitedStates(country: string | undefined): boolean {
  return country === undefined || /^(us|usa|united states( of america)?)$/i.test(country);
}

/** A patient portal. */
export interface Portal {
  name?: string;
  url?: string;
  logo?: string;
}

/** A health system as the directory stores it. */
export interface DirectoryEntry {
  name: string;
  /** The first postal address as one line for display; empty when none was published. */
  address: string;
  aliases: string[];
  addresses: PostalAddress[];
  /** Names of its ancestors by `Organization.partOf`, nearest first. */
  parents: string[];
  portals: Portal[];
  logo?: string;
  endpoints: HealthSystemEndpoint[];
}

/** Returns the FHIR releases that the endpoints offer, oldest first. */
export function offeredReleases(endpoints: readonly HealthSystemEndpoint[]): FhirVersion[] {
  return fhirVersion.options.filter((release) => endpoints.some((endpoint) => endpoint.fhirVersion === release));
}
