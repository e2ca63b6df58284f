import type { FhirVersion } from '@tributary/contracts';

/** How the release of an endpoint was found, the most reliable first. */
export const releaseSources = ['extension', 'address', 'file', 'metadata'] as const;
export type ReleaseSource = (typeof releaseSources)[number];

/** A FHIR release: one that is supported, `other` for the others, undefined when the text names none. */
export type NamedRelease = FhirVersion | 'other' | undefined;

/** Returns the release of a FHIR version such as `4.0.1`, or of a name such as `R4`. */
export function releaseOfVersion(version: string): NamedRelease {
  const text = version.trim();
  if (/^\d+\.\d+(?:\.\d+)?(?:-\w+)?$/.test(text)) return releaseOfNumber(text);
  return /^(?:dstu-?\d|stu-?\d|r\d[ab]?)$/i.test(text) ? releaseOfName(text) : undefined;
}

/** One segment of a path, or label of a host: `r4`, `R4`, `DSTU2`, `fhir-api-r4`, `stu3-fhir`, `4_0_1`. */
const namedInSegment =
  /^(?:fhir[-_.]?)?(?:api[-_.]?)?(dstu[-_]?\d|stu[-_]?\d|r[2-9]b?|[1-9][._]\d(?:[._]\d+)?)(?:[-_.]?fhir)?$/i;

/**
 * Returns the release that the address of an endpoint names: in a segment of its path, or else in a label of its host.
 * Undefined also when it names more than one. A version of the API, such as `/v4/`, says nothing about the release.
 */
export function releaseOfAddress(address: string): NamedRelease {
  const { hostname, pathname } = new URL(address);
  return namedOnce(pathname.split('/')) ?? namedOnce(hostname.split('.').slice(0, -2));
}

function namedOnce(segments: string[]): NamedRelease {
  const named = segments.flatMap((segment) => namedInSegment.exec(segment)?.[1] ?? []);
  const releases = new Set(
    named.map((name) => (/^\d/.test(name) ? releaseOfNumber(name.replaceAll('_', '.')) : releaseOfName(name))),
  );
  return releases.size === 1 ? [...releases][0] : undefined;
}

function releaseOfNumber(version: string): FhirVersion | 'other' {
  const [, release] = /^(1\.0|3\.0|4\.0)(?:\.\d+)?$/.exec(version) ?? [];
  return release === '1.0' ? 'dstu2' : release === '3.0' ? 'stu3' : release === '4.0' ? 'r4' : 'other';
}

/** The second and third release are called DSTU2 and STU3, and also R2, R3, STU2 and DSTU3. */
function releaseOfName(name: string): FhirVersion | 'other' {
  const plain = name
    .toLowerCase()
    .replace(/[-_]/g, '')
    .replace(/^(?:dstu|stu|r)/, '');
  return plain === '2' ? 'dstu2' : plain === '3' ? 'stu3' : plain === '4' ? 'r4' : 'other';
}
