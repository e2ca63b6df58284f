/*
 * The sandbox runs without contracts, on purpose: it stands for foreign software, and an error in contracts
 * must not be repeated by the health system that tests it.
 */

/** The supported FHIR releases, oldest first. */
export const releases = ['dstu2', 'stu3', 'r4'] as const;

export type Release = (typeof releases)[number];

/** The `fhirVersion` of each release. */
export const fhirVersions: Record<Release, string> = { dstu2: '1.0.2', stu3: '3.0.2', r4: '4.0.1' };

/** The JSON media type of each release; STU3 changed it. */
export const mediaTypes: Record<Release, string> = {
  dstu2: 'application/json+fhir',
  stu3: 'application/fhir+json',
  r4: 'application/fhir+json',
};

export function isRelease(text: string): text is Release {
  return (releases as readonly string[]).includes(text);
}
