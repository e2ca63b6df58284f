import { type FhirVersion, fhirVersion } from '@tributary/contracts';
import type { DirectoryEntry } from '../directory/directory-entry';

/** An entry before it is stored, with the keys of the organizations that it was read from. */
export interface Candidate {
  keys: string[];
  sortKey: string;
  entry: DirectoryEntry;
}

/**
 * Merges entries of a health system that is published as one organization per FHIR release. Two entries are merged if
 * they have the same name, no release in common, FHIR base URLs that differ only in the release, and postal addresses
 * that do not contradict each other. All of that is required, because a wrong merge sends a patient to another health
 * system, and one host serves thousands of them.
 * @param sameName candidates with equal names, in the order of their publication
 */
export function mergePerReleaseEntries(sameName: Candidate[]): Candidate[] {
  const merged: Candidate[] = [];
  for (const candidate of sameName) {
    const index = merged.findIndex((other) => arePerReleaseEntries(other.entry, candidate.entry));
    if (index < 0) merged.push(candidate);
    else merged[index] = merge(merged[index]!, candidate);
  }
  return merged;
}

function arePerReleaseEntries(one: DirectoryEntry, other: DirectoryEntry): boolean {
  const releases = releasesOf(one);
  return (
    [...releasesOf(other)].every((release) => !releases.has(release)) &&
    (one.address === '' || other.address === '' || one.address === other.address) &&
    basesOf(one).some((base) => basesOf(other).includes(base))
  );
}

/** The result does not depend on the order of publication. */
function merge(first: Candidate, second: Candidate): Candidate {
  const [one, other] = oldestRelease(first) <= oldestRelease(second) ? [first, second] : [second, first];
  const [richer, poorer] =
    one.entry.addresses.length >= other.entry.addresses.length ? [one.entry, other.entry] : [other.entry, one.entry];
  const logo = richer.logo ?? poorer.logo;
  return {
    keys: [...one.keys, ...other.keys],
    sortKey: one.sortKey,
    entry: {
      ...richer,
      aliases: [...new Set([...richer.aliases, ...poorer.aliases])],
      parents: [...new Set([...richer.parents, ...poorer.parents])],
      portals: distinct([...richer.portals, ...poorer.portals]),
      endpoints: [...one.entry.endpoints, ...other.entry.endpoints],
      ...(logo === undefined ? {} : { logo }),
    },
  };
}

function releasesOf({ endpoints }: DirectoryEntry): Set<FhirVersion> {
  return new Set(endpoints.map(({ fhirVersion }) => fhirVersion));
}

function oldestRelease({ entry }: Candidate): number {
  return fhirVersion.options.findIndex((release) => releasesOf(entry).has(release));
}

const releaseInPath = /(?<![a-z0-9])(?:dstu[-_]?2|stu[-_]?3|r[234]|v[1-9]|[134]\.0(?:\.\d)?)(?![a-z0-9.])/g;

/** Returns the FHIR base URLs without the release: `…/DSTU2/` and `…/R4` are equal. */
function basesOf({ endpoints }: DirectoryEntry): string[] {
  return endpoints.map(({ fhir_base_url }) => {
    const { host, pathname } = new URL(fhir_base_url);
    return (
      host +
      pathname
        .toLowerCase()
        .replace(releaseInPath, '')
        .replace(/\/{2,}/g, '/')
        .replace(/\/$/, '')
    );
  });
}

/** Removes equal values; the first of each stays. */
export function distinct<T>(values: T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
