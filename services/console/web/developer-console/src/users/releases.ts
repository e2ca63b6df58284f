import type { FhirVersion } from '@tributary/contracts';

/** Newest first. */
export const releases = ['r4', 'stu3', 'dstu2'] as const satisfies readonly FhirVersion[];

export const releaseNames: Record<FhirVersion, string> = { r4: 'FHIR R4', stu3: 'FHIR STU3', dstu2: 'FHIR DSTU2' };
