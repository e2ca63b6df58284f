import { z } from 'zod';

/** The FHIR releases the service stores, collects and serves; the path segment and the value of `fhirVersion` alike. */
export const fhirVersion = z.enum(['dstu2', 'stu3', 'r4']);
export type FhirVersion = z.infer<typeof fhirVersion>;
