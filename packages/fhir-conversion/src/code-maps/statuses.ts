import type { Concepts } from '../changes/concept';

/** Procedure.status: what was aborted is stopped, what was suspended is on hold. */
export const procedureStatus = { aborted: 'stopped', suspended: 'on-hold' } as const;

export const conditionClinical: Concepts = {
  system: 'http://terminology.hl7.org/CodeSystem/condition-clinical',
  codes: identical('active', 'inactive', 'recurrence', 'relapse', 'remission', 'resolved'),
};

/** "unknown" is no verification status in R4. */
export const conditionVerification: Concepts = {
  system: 'http://terminology.hl7.org/CodeSystem/condition-ver-status',
  codes: identical('confirmed', 'differential', 'entered-in-error', 'provisional', 'refuted'),
};

/** Serves AllergyIntolerance.clinicalStatus of stu3, and of dstu2 that part of the status which is clinical. */
export const allergyClinical: Concepts = {
  system: 'http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical',
  codes: identical('active', 'inactive', 'resolved'),
};

/** The part of the status of dstu2 that tells how sure it is. */
export const allergyVerification: Concepts = {
  system: 'http://terminology.hl7.org/CodeSystem/allergyintolerance-verification',
  codes: identical('confirmed', 'entered-in-error', 'refuted', 'unconfirmed'),
};

export const allergyCriticality = { CRITH: 'high', CRITL: 'low', CRITU: 'unable-to-assess' } as const;

/** Patient.link.type of dstu2. */
export const linkType = { replace: 'replaced-by' } as const;

function identical(...codes: string[]): Record<string, string> {
  return Object.fromEntries(codes.map((code) => [code, code]));
}
