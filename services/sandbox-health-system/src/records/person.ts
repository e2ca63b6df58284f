import type { Release } from '../releases';
import type { PatientRecord } from './patient-record';

/** Someone who can sign in, and their records: at most one in each release. */
export interface Person {
  readonly username: string;
  readonly releases: Release[];
  record(release: Release): Promise<PatientRecord | undefined>;
}

/** Those who can sign in. */
export interface People {
  /** The people shown on the sign-in page and listed for scripts. */
  listed(): Person[];
  find(username: string): Person | undefined;
  /** The types that the records of a release hold, as far as they have been looked into. */
  types(release: Release): Promise<Map<string, { searchable: boolean }>>;
}

/** Everyone's password: the people are pretended, and a developer has to know it. */
export const demoPassword = 'sandbox';
