import { z } from 'zod';

/** The supported FHIR releases, as in path segments and in `fhirVersion` fields. */
export const fhirVersion = z.enum(['dstu2', 'stu3', 'r4']);
export type FhirVersion = z.infer<typeof fhirVersion>;
