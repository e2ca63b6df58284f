import type { HealthSystemEndpoint } from '@tributary/contracts';
import type { DirectoryFile } from './directory-file';
import type { LoadCounts } from './load-report';
import { type Candidate, distinct, mergeAddresses, mergePerReleaseEntries } from './merge-entries';
import type { ReadEndpoint } from './read-endpoint';
import type { ReadOrganization } from './read-organization';

/** This many ancestors are followed at most, which also ends cycles. */
const maxAncestors = 8;

/**
 * Builds the entries of the directory from a file, one name after the other: resolves references to endpoints and
 * parents, and merges entries that are published once per release or per postal address. A key that names two different
 * resources is ignored. An organization without a usable endpoint of its own inherits those of its nearest ancestor
 * that has some.
 */
export function* buildEntries(file: DirectoryFile, counts: LoadCounts): Generator<Candidate> {
  const isList = file.format === 'list';
  const usable = [...file.endpoints].filter(({ releases }) => releases.length > 0);
  const findEndpoint = byKey(usable, isSameOffer);
  // The rows of a list have no parents.
  const findOrganization = byKey(isList ? [] : file.organizations, () => false);

  const ownOffers = ({ endpointKeys }: ReadOrganization): HealthSystemEndpoint[] =>
    distinct(
      endpointKeys.flatMap((keys) => {
        const [endpoint] = findEndpoint(keys);
        return endpoint?.releases.map((fhirVersion) => ({ fhirVersion, fhir_base_url: endpoint.address })) ?? [];
      }),
    );
  const inheritable = new Map<ReadOrganization, HealthSystemEndpoint[]>();
  const offersOfAncestor = (ancestor: ReadOrganization): HealthSystemEndpoint[] => {
    const offers = inheritable.get(ancestor) ?? ownOffers(ancestor);
    inheritable.set(ancestor, offers);
    return offers;
  };
  const ancestorsOf = (organization: ReadOrganization): ReadOrganization[] => {
    const ancestors: ReadOrganization[] = [];
    for (let child = organization; ancestors.length < maxAncestors;) {
      const parent = findOrganization(child.partOf).find((found) => found !== child);
      if (!parent || parent === organization) break;
      ancestors.push(parent);
      child = parent;
    }
    return ancestors;
  };
  const candidateOf = (organization: ReadOrganization): Candidate[] => {
    const { key, keys, sortKey, content, endpointKeys } = organization;
    const ancestors = ancestorsOf(organization);
    const own = ownOffers(organization);
    const endpoints =
      own.length > 0 ? own : (ancestors.map(offersOfAncestor).find((offers) => offers.length > 0) ?? []);
    const parents = ancestors.map((ancestor) => ancestor.content.name);
    if (endpoints.length > 0) return [{ keys, sortKey, entry: { ...content, parents, endpoints } }];
    // A row of a list has no name of its own that an operator could search for; its address is one.
    counts.reject('Organization', isList ? endpointKeys[0]![0]! : key, 'no usable endpoint', content.name);
    return [];
  };

  const byName = new Map<string, ReadOrganization[]>();
  for (const organization of file.organizations) {
    const sameName = byName.get(organization.sortKey);
    if (sameName) sameName.push(organization);
    else byName.set(organization.sortKey, [organization]);
  }
  for (const organizations of byName.values()) {
    const sameName = organizations.flatMap(candidateOf);
    const name = sameName[0]?.entry.name ?? '';
    const atOneAddress = isList ? mergeAddresses(sameName) : sameName;
    counts.merge('the same name and endpoint at another postal address', name, sameName.length - atOneAddress.length);
    const merged = mergePerReleaseEntries(atOneAddress);
    counts.merge('the same health system in another release', name, atOneAddress.length - merged.length);
    yield* merged;
  }
}

/** Returns a function that finds resources by keys, in the order of the keys. */
function byKey<T extends { keys: string[] }>(
  resources: Iterable<T>,
  isSame: (one: T, other: T) => boolean,
): (keys: string[]) => T[] {
  const found = new Map<string, T | undefined>();
  for (const resource of resources)
    for (const key of resource.keys) {
      const known = found.get(key);
      if (!found.has(key)) found.set(key, resource);
      else if (known && !isSame(known, resource)) found.set(key, undefined);
    }
  return (keys) => keys.flatMap((key) => found.get(key) ?? []);
}

function isSameOffer(one: ReadEndpoint, other: ReadEndpoint): boolean {
  return one.address === other.address && one.releases.join() === other.releases.join();
}
