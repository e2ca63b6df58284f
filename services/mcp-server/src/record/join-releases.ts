import { type FhirVersion, releasesNewestFirst } from '@tributary/contracts';
import type { Source } from './source';

/** What is compared to find out that two resources are one record in two releases. */
export interface Joinable {
  reference: string;
  release: FhirVersion;
  source: Source | undefined;
  name: string;
  codes: readonly string[];
  /** What has to be equal besides name or code: the kind, the day, a value. */
  sameness: string;
}

/** An entry with the references of the same record in other releases. */
export interface Joined<T> {
  entry: T;
  alsoIn: string[];
}

/** The reference of an entry, and the other releases that have it. */
export function referencesText({ entry: { reference }, alsoIn }: Joined<Joinable>): string {
  const releases = alsoIn.map((each) => each.split('/')[0]);
  return releases.length === 0 ? reference : `${reference}, also in ${releases.join(' and ')}`;
}

/**
 * Joins what a health system publishes of one record in several releases. The ids can differ between the releases, so
 * that two resources are taken for one when they are in different releases, from the same health system, equal in
 * `sameness`, and have a code or the name in common. Resources of one release are never joined: a health system that
 * lists something twice means two things. The newest release is kept.
 */
export function joinReleases<T extends Joinable>(entries: readonly T[]): Joined<T>[] {
  const groups = new Map<string, { joined: Joined<T>; releases: Set<FhirVersion> }[]>();
  const all: Joined<T>[] = [];
  for (const release of releasesNewestFirst) {
    for (const entry of entries.filter((each) => each.release === release)) {
      const key = JSON.stringify([entry.source?.healthSystem, entry.sameness]);
      const group = groups.get(key) ?? [];
      groups.set(key, group);
      const twin = group.find(({ joined, releases: taken }) => !taken.has(release) && areAlike(joined.entry, entry));
      if (twin) {
        twin.joined.alsoIn.push(entry.reference);
        twin.releases.add(release);
      } else {
        const joined = { entry, alsoIn: [] };
        group.push({ joined, releases: new Set([release]) });
        all.push(joined);
      }
    }
  }
  return all;
}

function areAlike(one: Joinable, other: Joinable): boolean {
  return one.name.toLowerCase() === other.name.toLowerCase() || one.codes.some((code) => other.codes.includes(code));
}
