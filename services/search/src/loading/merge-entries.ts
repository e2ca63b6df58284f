import { type FhirVersion, fhirVersion, withoutFinalSlash } from '@tributary/contracts';
import type { DirectoryEntry, PostalAddress } from '../directory/directory-entry';
import { addressText } from './postal-address';

/** An entry before it is stored, with the keys of the organizations that it was read from. */
export interface Candidate {
  keys: string[];
  sortKey: string;
  entry: DirectoryEntry;
}

/**
 * Merges rows of an endpoint list that have the same name and the same endpoints: one entry with several
 * addresses. Otherwise a search would return pages of equal names, which all lead to the same endpoints.
 * @param sameName candidates with equal names, in the order of their publication
 */
export function mergeAddresses(sameName: Candidate[]): Candidate[] {
  const byEndpoints = new Map<string, Candidate[]>();
  for (const candidate of sameName) {
    const key = candidate.entry.endpoints
      .map(({ fhirVersion, fhir_base_url }) => `${fhirVersion} ${withoutFinalSlash(fhir_base_url)}`)
      .sort()
      .join(' ');
    const group = byEndpoints.get(key);
    if (group) group.push(candidate);
    else byEndpoints.set(key, [candidate]);
  }
  return [...byEndpoints.values()].map((group) => {
    const { sortKey, entry } = group[0]!;
    return {
      keys: [...new Set(group.flatMap(({ keys }) => keys))],
      sortKey,
      entry: withAddresses(
        entry,
        group.flatMap((candidate) => candidate.entry.addresses),
      ),
    };
  });
}

/** The order of the addresses does not depend on the order of publication. */
function withAddresses(entry: DirectoryEntry, published: PostalAddress[]): DirectoryEntry {
  const addresses = distinct(published).sort((one, other) => compare(addressText(one), addressText(other)));
  const others = addresses.length - 1;
  const address = addressText(addresses[0]);
  return {
    ...entry,
    addresses,
    address: others > 0 ? `${address} and ${others} more ${others === 1 ? 'place' : 'places'}` : address,
  };
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
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
  /** Positions in `merged` by FHIR base URL without the release, so that thousands of equal names take linear time. */
  const byBase = new Map<string, Set<number>>();
  for (const candidate of sameName) {
    const bases = basesOf(candidate.entry);
    const positions = [...new Set(bases.flatMap((base) => [...(byBase.get(base) ?? [])]))].sort((a, b) => a - b);
    const found = positions.find((position) => arePerReleaseEntries(merged[position]!.entry, candidate.entry));
    const position = found ?? merged.length;
    merged[position] = found === undefined ? candidate : merge(merged[found]!, candidate);
    for (const base of bases) byBase.set(base, (byBase.get(base) ?? new Set()).add(position));
  }
  return merged;
}

/** Whether two entries with a FHIR base URL in common are the same health system in two releases. */
function arePerReleaseEntries(one: DirectoryEntry, other: DirectoryEntry): boolean {
  const releases = releasesOf(one);
  return [...releasesOf(other)].every((release) => !releases.has(release)) && haveCommonAddress(one, other);
}

function haveCommonAddress(one: DirectoryEntry, other: DirectoryEntry): boolean {
  if (one.address === '' || other.address === '' || one.address === other.address) return true;
  const texts = new Set(one.addresses.map(addressText));
  return other.addresses.some((address) => texts.has(addressText(address)));
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

const releaseInPath = /[-_]?(?<![a-z0-9])(?:dstu[-_]?2|stu[-_]?3|r[234]|v[1-9]|[134]\.0(?:\.\d)?)(?![a-z0-9.])/g;

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
