import type { FhirRequestHeaders } from '../fhir-http/fhir-request';

/** Whether the caller already has this version (If-None-Match, or else If-Modified-Since: RFC 9110, section 13.2.2). */
export function isNotModified(
  { ifNoneMatch, ifModifiedSince }: FhirRequestHeaders,
  { version, lastUpdated }: { version: number; lastUpdated: number },
): boolean {
  if (ifNoneMatch !== undefined)
    return ifNoneMatch.split(',').some((tag) => tag.trim() === '*' || versionOfEtag(tag) === version);
  if (ifModifiedSince === undefined) return false;
  const since = Date.parse(ifModifiedSince);
  // HTTP dates are whole seconds.
  return !Number.isNaN(since) && Math.floor(lastUpdated / 1000) * 1000 <= since;
}

/** The version that an ETag names; undefined when it names none of ours. */
export function versionOfEtag(tag: string): number | undefined {
  const [, digits] = /^(?:W\/)?"(\d{1,9})"$/.exec(tag.trim()) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
