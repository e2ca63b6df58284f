import { type FhirVersion, fhirVersion } from '@tributary/contracts';
import type { DirectoryEntry } from '../directory/directory-entry';

/** An entry on its way into the directory, with the names of the organizations it comes of. */
export interface Candidate {
  names: string[];
  sortKey: string;
  entry: DirectoryEntry;
}

/**
 * Makes one entry of twins: a health system that is published once for each FHIR release, as two organizations. Taken for twins are
 * those of the same name with no release in common, under addresses that differ in nothing but the release, and in addresses that do not contradict
 * each other; all of it, because a wrong guess would send a patient to a stranger's health system, and one host serves thousands of them.
 * @param sameName candidates whose names are the same, in the order of their publication
 */
export function mergePerReleaseEntries(sameName: Candidate[]): Candidate[] {
  const joined: Candidate[] = [];
  for (const candidate of sameName) {
    const at = joined.findIndex((other) => arePerReleaseEntries(other.entry, candidate.entry));
    if (at < 0) joined.push(candidate);
    else joined[at] = join(joined[at]!, candidate);
  }
  return joined;
}

function arePerReleaseEntries(one: DirectoryEntry, other: DirectoryEntry): boolean {
  const releases = releasesOf(one);
  return (
    [...releasesOf(other)].every((release) => !releases.has(release)) &&
    (one.address === '' || other.address === '' || one.address === other.address) &&
    basesOf(one).some((base) => basesOf(other).includes(base))
  );
}

/** The same one whichever was published first. */
function join(first: Candidate, second: Candidate): Candidate {
  const [one, other] = oldestRelease(first) <= oldestRelease(second) ? [first, second] : [second, first];
  const [richer, poorer] =
    one.entry.addresses.length >= other.entry.addresses.length ? [one.entry, other.entry] : [other.entry, one.entry];
  const logo = richer.logo ?? poorer.logo;
  return {
    names: [...one.names, ...other.names],
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

/** The addresses without what tells the release: those of `…/DSTU2/` and `…/R4` are one. */
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

/** Without repetitions, in the order of first mention. */
export function distinct<T>(values: T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
