export const releases = ['dstu2', 'stu3', 'r4'] as const;
export type Release = (typeof releases)[number];
export type Resource = Record<string, unknown>;

const code = { text: 'a sample' };

/** Valid resources of types in and outside the compartment of a patient, and of a file. */
function samplesOf(release: Release): Record<string, Resource> {
  return {
    Patient: { birthDate: '1990-07-04' },
    Observation: { status: 'final', code },
    Condition:
      release === 'dstu2'
        ? { code, patient: { display: 'a patient' }, verificationStatus: 'confirmed' }
        : { code, subject: { display: 'a patient' } },
    Medication: { code },
    Basic: { code },
    Binary: { contentType: 'text/plain', [release === 'r4' ? 'data' : 'content']: 'SGVsbG8=' },
  };
}

export const sampleTypes: readonly string[] = Object.keys(samplesOf('r4'));

/** @throws Error when there is no sample of the type */
export function sampleOf(release: Release, resourceType: string): Resource {
  const sample = samplesOf(release)[resourceType];
  if (!sample) throw new Error(`there is no sample of ${resourceType}`);
  return { resourceType, ...sample };
}
