import type { Release } from '@tributary/fhir-definitions';
import { type JsonObject, type JsonValue, isJsonObject } from '@tributary/fhir-json';
import type { FhirRequestHeaders } from '../fhir-http/fhir-request';
import { badRequest } from '../fhir-http/fhir-error';
import { limits, tooCostly } from '../fhir-http/limits';

/**
 * The request of one entry of a batch or transaction
 * (https://hl7.org/fhir/R4/bundle-definitions.html#Bundle.entry.request).
 */
export interface BundleEntry {
  /** The index in Bundle.entry. */
  readonly index: number;
  readonly method: string;
  /** The path segments below the release; undefined when the URL is not below this service. */
  readonly segments: readonly string[] | undefined;
  readonly query: URLSearchParams;
  readonly fullUrl: string | undefined;
  readonly resource: JsonValue | undefined;
  readonly headers: FhirRequestHeaders;
}

/** Parses the entries of a Bundle. @throws FhirError 400 that names the entry */
export function readEntries(release: Release, base: string, bundle: JsonObject): BundleEntry[] {
  const entries = bundle['entry'] ?? [];
  if (!Array.isArray(entries)) throw badRequest('Bundle.entry must be an array', 'structure');
  if (entries.length > limits.bundleEntries) throw tooCostly(`a Bundle may have ${limits.bundleEntries} entries`);
  const read = entries.map((entry, index) => readEntry(release, base, entry, index));
  if (read.filter(isRead).length > limits.bundleReads)
    throw tooCostly(`a Bundle may have ${limits.bundleReads} entries that read`);
  return read;
}

/** Whether an entry only reads. */
export function isRead({ method }: BundleEntry): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** The path segments of an entry's request. @throws FhirError 400 when the URL is not below this service */
export function segmentsOf({ segments, index }: BundleEntry): readonly string[] {
  if (!segments) throw badRequest(`Bundle.entry[${index}].request.url is not below this service`, 'value');
  return segments;
}

function readEntry(release: Release, base: string, entry: JsonValue, index: number): BundleEntry {
  const request = isJsonObject(entry) ? entry['request'] : undefined;
  if (!isJsonObject(entry) || !isJsonObject(request))
    throw badRequest(`Bundle.entry[${index}] has no request`, 'required');
  const { method, url } = request;
  if (typeof method !== 'string' || typeof url !== 'string')
    throw badRequest(`Bundle.entry[${index}].request must have method and url`, 'required');
  const address = readAddress(release, base, url);
  return {
    index,
    method,
    segments: address?.segments,
    query: address?.query ?? new URLSearchParams(),
    fullUrl: typeof entry['fullUrl'] === 'string' ? entry['fullUrl'] : undefined,
    resource: entry['resource'],
    headers: {
      ifMatch: text(request['ifMatch']),
      ifNoneMatch: text(request['ifNoneMatch']),
      ifModifiedSince: text(request['ifModifiedSince']),
      ifNoneExist: text(request['ifNoneExist']),
    },
  };
}

function readAddress(
  release: Release,
  base: string,
  url: string,
): { segments: string[]; query: URLSearchParams } | undefined {
  const local = url.startsWith(`${base}/`)
    ? url.slice(base.length + 1)
    : url.startsWith(`/${release}/`)
      ? url.slice(release.length + 2)
      : url;
  if (/^[a-z][a-z0-9+.-]*:/i.test(local)) return undefined;
  const [path = '', query = ''] = local.replace(/^\//, '').split(/\?(.*)/s);
  try {
    return {
      segments: path
        .split('/')
        .filter((segment) => segment !== '')
        .map(decodeURIComponent),
      query: new URLSearchParams(query),
    };
  } catch {
    return undefined;
  }
}

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
