import type { FhirRequestHeaders } from './fhir-request';

/** The version that an ETag names; undefined when the service makes no such ETag. */
export function versionOfEtag(etag: string): number | undefined {
  const [, digits] = /^(?:W\/)?"(\d{1,9})"$/.exec(etag.trim()) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * Whether the client already has a version: If-None-Match, or without it If-Modified-Since (RFC 9110, section 13.2.2).
 * @param lastUpdated epoch milliseconds
 */
export function isNotModified(
  { ifNoneMatch, ifModifiedSince }: FhirRequestHeaders,
  { version, lastUpdated }: { version: number; lastUpdated: number },
): boolean {
  if (ifNoneMatch !== undefined)
    return ifNoneMatch.split(',').some((etag) => etag.trim() === '*' || versionOfEtag(etag) === version);
  if (ifModifiedSince === undefined) return false;
  const since = Date.parse(ifModifiedSince);
  // HTTP dates have a resolution of one second.
  return !Number.isNaN(since) && Math.floor(lastUpdated / 1000) * 1000 <= since;
}
