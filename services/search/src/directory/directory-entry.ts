import type { HealthSystemEndpoint } from '@tributary/contracts';

/** A postal address, as much of it as was published. */
export interface PostalAddress {
  text?: string;
  line?: string[];
  city?: string;
  state?: string;
  postalCode?: string;
  country?: string;
}

/** Where patients of a health system sign in. */
export interface Portal {
  name?: string;
  url?: string;
  logo?: string;
}

/** What the directory holds of a health system. */
export interface DirectoryEntry {
  name: string;
  /** As one text, for people; empty when nothing was published. */
  address: string;
  aliases: string[];
  addresses: PostalAddress[];
  /** Names of the organizations it is part of, nearest first. */
  parents: string[];
  portals: Portal[];
  logo?: string;
  endpoints: HealthSystemEndpoint[];
}
