import type { DirectoryEntry, Portal } from '../directory/directory-entry';
import { sortKey } from '../ranking/words';
import { type ExtensionPart, type ReadResult, brandUrl, portalUrl, publishedOrganization } from './brands-format';
import { firstUsableLogo } from './logo';
import { addressText, readPostalAddress, tidy } from './postal-address';
import { referencedKeys, resourceKeys } from './resource-keys';

/** What an organization contributes to an entry of the directory. */
export type OrganizationContent = Omit<DirectoryEntry, 'endpoints' | 'parents'>;

export interface ReadOrganization {
  /** Identifies it in the file. */
  key: string;
  /** Keys by which references name it, and later loads recognize it, the most reliable first. */
  keys: string[];
  sortKey: string;
  /** The keys that `partOf` can mean; empty without a parent. */
  partOf: string[];
  /** For each reference to an endpoint, the keys that it can mean. */
  endpointKeys: string[][];
  content: OrganizationContent;
}

const maxNameLength = 300;
const maxUrlLength = 2048;

/** Reads an Organization resource (a brand), or returns why it is rejected. */
export function readOrganization(resource: unknown, fullUrl: string | undefined): ReadResult<ReadOrganization> {
  const {
    id,
    active,
    name: publishedName,
    alias,
    address,
    partOf,
    endpoint,
    extension,
  } = publishedOrganization.parse(resource);
  const keys = resourceKeys('Organization', fullUrl, id);
  const [key] = keys;
  if (key === undefined) return { problem: 'neither id nor fullUrl' };
  if (active === false) return { problem: 'not active' };
  const name = tidy(publishedName)?.slice(0, maxNameLength) ?? '';
  const nameKey = sortKey(name);
  if (nameKey === '') return { problem: 'no name' };

  const portalExtensions = extension.filter(({ url }) => url === portalUrl);
  const addresses = address.map(readPostalAddress).filter((read) => read !== undefined);
  const portals = portalExtensions
    .map(({ extension: parts }) => readPortal(parts))
    .filter((portal) => portal.name !== undefined || portal.url !== undefined);
  const brandLogos = extension
    .filter(({ url }) => url === brandUrl)
    .flatMap(({ extension: parts }) => valuesOf(parts, 'brandLogo'));
  const logo = firstUsableLogo([...brandLogos, ...portals.map((portal) => portal.logo)]);
  const references = [
    ...endpoint,
    ...portalExtensions.flatMap(({ extension: parts }) =>
      parts.filter(({ url }) => url === 'portalEndpoint').flatMap(({ valueReference }) => valueReference ?? []),
    ),
  ];
  return {
    value: {
      key,
      keys,
      sortKey: nameKey,
      partOf: partOf ? referencedKeys(partOf.reference, fullUrl) : [],
      endpointKeys: [...new Set(references.map(({ reference }) => reference))].map((reference) =>
        referencedKeys(reference, fullUrl),
      ),
      content: {
        name,
        address: addressText(addresses[0]),
        aliases: [
          ...new Set(
            alias
              .map((one) => tidy(one)?.slice(0, maxNameLength))
              .filter((one): one is string => !!one && sortKey(one) !== ''),
          ),
        ],
        addresses,
        portals,
        ...(logo === undefined ? {} : { logo }),
      },
    },
  };
}

function readPortal(parts: ExtensionPart[]): Portal {
  const name = tidy(valuesOf(parts, 'portalName')[0])?.slice(0, maxNameLength);
  const url = valuesOf(parts, 'portalUrl')[0]?.trim();
  const logo = firstUsableLogo(valuesOf(parts, 'portalLogo'));
  return {
    ...(name ? { name } : {}),
    ...(url && url.length <= maxUrlLength && /^https?:\/\/\S+$/.test(url) ? { url } : {}),
    ...(logo === undefined ? {} : { logo }),
  };
}

function valuesOf(parts: ExtensionPart[], name: string): string[] {
  return parts
    .filter(({ url }) => url === name)
    .flatMap(({ valueUrl, valueUri, valueString }) => valueUrl ?? valueUri ?? valueString ?? []);
}
