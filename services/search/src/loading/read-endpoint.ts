import type { HealthSystemEndpoint } from '@tributary/contracts';
import { endpointVersionUrl, publishedEndpoint } from './brands-format';
import { type AddressProblem, readEndpointAddress } from './endpoint-address';
import { releaseOfVersion } from './fhir-release';
import type { Read } from './read';
import { resourceKeys } from './resource-keys';

export type EndpointProblem =
  | AddressProblem
  | 'neither id nor fullUrl'
  | 'not a FHIR REST endpoint'
  | 'not active'
  | 'no FHIR version'
  | 'FHIR version is not offered'
  | 'no address';

export interface ReadEndpoint {
  names: string[];
  /** One for each release that it serves. */
  offers: HealthSystemEndpoint[];
}

/** What the directory takes of an Endpoint resource, or why it takes nothing. */
export function readEndpoint(
  resource: unknown,
  fullUrl: string | undefined,
  sandbox: boolean,
): Read<ReadEndpoint, EndpointProblem> {
  const { id, status, connectionType, address, extension } = publishedEndpoint.parse(resource);
  const names = resourceKeys('Endpoint', fullUrl, id);
  if (names.length === 0) return { problem: 'neither id nor fullUrl' };
  if (status !== undefined && status !== 'active') return { problem: 'not active' };
  const types = connectionType
    .flatMap(({ code, coding }) => [code, ...coding.map((one) => one.code)])
    .filter((code) => code !== undefined);
  if (types.length > 0 && !types.includes('hl7-fhir-rest')) return { problem: 'not a FHIR REST endpoint' };
  const versions = extension
    .filter(({ url }) => url === endpointVersionUrl)
    .map(({ valueCode, valueString }) => valueCode ?? valueString ?? '');
  if (versions.length === 0) return { problem: 'no FHIR version' };
  const releases = [...new Set(versions.map(releaseOfVersion))].filter((release) => release !== undefined);
  if (releases.length === 0) return { problem: 'FHIR version is not offered' };
  if (!address?.trim()) return { problem: 'no address' };
  const read = readEndpointAddress(address, sandbox);
  if ('problem' in read) return read;
  return { value: { names, offers: releases.map((fhirVersion) => ({ fhirVersion, fhir_base_url: read.address })) } };
}
