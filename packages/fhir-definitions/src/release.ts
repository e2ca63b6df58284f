/** The supported FHIR releases, oldest first. */
export const releases = ['dstu2', 'stu3', 'r4'] as const;

/** The name of a FHIR release. */
export type Release = (typeof releases)[number];

/** The FHIR version of each release, as in `CapabilityStatement.fhirVersion`. */
export const fhirVersionOf: Record<Release, string> = { dstu2: '1.0.2', stu3: '3.0.1', r4: '4.0.1' };

/** Whether a value is the name of a supported release. */
export function isRelease(value: unknown): value is Release {
  return releases.some((release) => release === value);
}
