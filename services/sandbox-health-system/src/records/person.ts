import type { Release } from '../releases';
import type { PatientRecord } from './patient-record';

/** A person who can sign in, with at most one record in each release. */
export interface Person {
  readonly username: string;
  readonly releases: Release[];
  record(release: Release): Promise<PatientRecord | undefined>;
}

/** The people who can sign in. */
export interface People {
  /** The people shown on the sign-in page and listed for scripts. */
  listed(): Person[];
  find(username: string): Person | undefined;
  /** The resource types in the records of a release that were read so far. */
  types(release: Release): Promise<Map<string, { searchable: boolean }>>;
}

/** The password of every person: none of them is real, and developers must know it. */
export const demoPassword = 'sandbox';
