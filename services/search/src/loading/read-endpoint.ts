import type { FhirVersion } from '@tributary/contracts';
import { type ReadResult, endpointVersionUrl, publishedEndpoint } from './brands-format';
import { readEndpointAddress } from './endpoint-address';
import { type NamedRelease, type ReleaseSource, releaseOfAddress, releaseOfVersion } from './release';
import { resourceKeys } from './resource-keys';

/** The releases of an endpoint and how they were found; none when neither the file nor the address names one. */
export interface FoundReleases {
  releases: FhirVersion[];
  foundBy?: ReleaseSource;
}

export interface ReadEndpoint extends FoundReleases {
  /** Keys by which references name it, the most reliable first. */
  keys: string[];
  address: string;
}

export interface EndpointOptions {
  sandbox: boolean;
  /** The release of endpoints that name none. */
  release: FhirVersion | undefined;
}

/** Reads an Endpoint resource, or returns why it is rejected. */
export function readEndpoint(
  resource: unknown,
  fullUrl: string | undefined,
  { sandbox, release }: EndpointOptions,
): ReadResult<ReadEndpoint> {
  const { id, status, connectionType, address, extension } = publishedEndpoint.parse(resource);
  const keys = resourceKeys('Endpoint', fullUrl, id);
  if (keys.length === 0) return { problem: 'neither id nor fullUrl' };
  if (status !== undefined && status !== 'active') return { problem: 'not active' };
  const types = connectionType
    .flatMap(({ code, coding }) => [code, ...coding.map((one) => one.code)])
    .filter((code) => code !== undefined);
  if (types.length > 0 && !types.includes('hl7-fhir-rest')) return { problem: 'not a FHIR REST endpoint' };
  const versions = extension
    .filter(({ url }) => url === endpointVersionUrl)
    .map(({ valueCode, valueString }) => valueCode ?? valueString ?? '');
  if (!address?.trim()) return { problem: 'no address' };
  const read = readEndpointAddress(address, sandbox);
  if ('problem' in read) return read;
  const found = findReleases(versions, read.address, release);
  return found === 'other'
    ? { problem: 'FHIR version is not offered' }
    : { value: { keys, address: read.address, ...found } };
}

/**
 * Finds the releases of an endpoint: those that its `endpoint-fhir-version` extensions state, else the one that its
 * address names, else that of the file.
 * @returns `other` when they state only releases that are not supported
 */
export function findReleases(
  versions: string[],
  address: string,
  ofFile: FhirVersion | undefined,
): FoundReleases | 'other' {
  return (
    supported(versions.map(releaseOfVersion), 'extension') ??
    supported([releaseOfAddress(address)], 'address') ??
    (ofFile === undefined ? { releases: [] } : { releases: [ofFile], foundBy: 'file' })
  );
}

function supported(named: NamedRelease[], foundBy: ReleaseSource): FoundReleases | 'other' | undefined {
  const known = [...new Set(named)].filter((release) => release !== undefined);
  const releases = known.filter((release) => release !== 'other');
  return releases.length > 0 ? { releases, foundBy } : known.length > 0 ? 'other' : undefined;
}
