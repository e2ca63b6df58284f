/** The three FHIR releases that the sandbox speaks, oldest first. */
export const releases = ['dstu2', 'stu3', 'r4'] as const;

export type Release = (typeof releases)[number];

/** The version number that a release's statement of capabilities carries. */
export const fhirVersions: Record<Release, string> = { dstu2: '1.0.2', stu3: '3.0.2', r4: '4.0.1' };

/** The media type of JSON in each release: DSTU2 had its words the other way round. */
export const mediaTypes: Record<Release, string> = {
  dstu2: 'application/json+fhir',
  stu3: 'application/fhir+json',
  r4: 'application/fhir+json',
};

export function isRelease(text: string): text is Release {
  return (releases as readonly string[]).includes(text);
}
