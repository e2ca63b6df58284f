import { z } from 'zod';

/** The supported FHIR releases, as in path segments and in `fhirVersion` fields. */
export const fhirVersion = z.enum(['dstu2', 'stu3', 'r4']).meta({ id: 'FhirVersion' });
export type FhirVersion = z.infer<typeof fhirVersion>;

/** The supported releases, newest first. */
export const releasesNewestFirst = ['r4', 'stu3', 'dstu2'] as const satisfies readonly FhirVersion[];

const spellings: ReadonlyMap<string, FhirVersion> = new Map(
  Object.entries({
    '1.0': 'dstu2',
    '1.0.2': 'dstu2',
    '3.0': 'stu3',
    '3.0.1': 'stu3',
    '3.0.2': 'stu3',
    '4.0': 'r4',
    '4.0.0': 'r4',
    '4.0.1': 'r4',
  }),
);

/** A `fhirVersion` from a query: in upper case and as the number of the release too. */
export const fhirVersionText = z
  .string()
  .transform((text) => spellings.get(text) ?? text.toLowerCase())
  .pipe(fhirVersion);

/** The media types of FHIR JSON in all releases, and plain JSON, which every release accepts for it. */
export const fhirJsonMediaTypes = ['application/fhir+json', 'application/json+fhir', 'application/json'] as const;

/**
 * The JSON media type of each release; STU3 changed it. Some servers respond with 406 to any other.
 * @see https://hl7.org/fhir/STU3/http.html#mime-type
 */
export const fhirJsonMediaType: Record<FhirVersion, string> = {
  dstu2: 'application/json+fhir',
  stu3: 'application/fhir+json',
  r4: 'application/fhir+json',
};
