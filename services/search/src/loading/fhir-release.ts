import type { FhirVersion } from '@tributary/contracts';

/** The release that a version of FHIR belongs to; undefined for one that is not offered. */
export function releaseOfVersion(version: string): FhirVersion | undefined {
  const [, line] = /^(1\.0|3\.0|4\.0)(?:\.\d+)?$/.exec(version.trim()) ?? [];
  return line === '1.0' ? 'dstu2' : line === '3.0' ? 'stu3' : line === '4.0' ? 'r4' : undefined;
}
