import type { FhirVersion, HealthSystemEndpoint } from '@tributary/contracts';
import { type ReadResult, endpointVersionUrl, publishedEndpoint } from './brands-format';
import { type AddressProblem, readEndpointAddress } from './endpoint-address';
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
  /** Keys by which references name it, the most reliable first. */
  keys: string[];
  /** One endpoint for each supported release that it serves. */
  offers: HealthSystemEndpoint[];
}

/** Reads an Endpoint resource, or returns why it is rejected. */
export function readEndpoint(
  resource: unknown,
  fullUrl: string | undefined,
  sandbox: boolean,
): ReadResult<ReadEndpoint, EndpointProblem> {
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
  if (versions.length === 0) return { problem: 'no FHIR version' };
  const releases = [...new Set(versions.map(releaseOfVersion))].filter((release) => release !== undefined);
  if (releases.length === 0) return { problem: 'FHIR version is not offered' };
  if (!address?.trim()) return { problem: 'no address' };
  const read = readEndpointAddress(address, sandbox);
  if ('problem' in read) return read;
  return { value: { keys, offers: releases.map((fhirVersion) => ({ fhirVersion, fhir_base_url: read.address })) } };
}

/** Returns the release of a FHIR version such as `4.0.1`; undefined for releases that are not supported. */
export function releaseOfVersion(version: string): FhirVersion | undefined {
  const [, release] = /^(1\.0|3\.0|4\.0)(?:\.\d+)?$/.exec(version.trim()) ?? [];
  return release === '1.0' ? 'dstu2' : release === '3.0' ? 'stu3' : release === '4.0' ? 'r4' : undefined;
}
