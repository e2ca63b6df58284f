import type { FhirVersion } from '@tributary/contracts';

/** The releases of FHIR in which a record can have resources, newest first. */
export const releases = ['r4', 'stu3', 'dstu2'] as const satisfies readonly FhirVersion[];
