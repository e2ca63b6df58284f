import type { Concepts } from '../element-rules/concept';

/** Procedure.status. */
export const procedureStatus = { aborted: 'stopped', suspended: 'on-hold' } as const;

export const conditionClinical: Concepts = {
  system: 'http://terminology.hl7.org/CodeSystem/condition-clinical',
  codes: new Set(['active', 'inactive', 'recurrence', 'relapse', 'remission', 'resolved']),
};

/** Condition.verificationStatus. R4 does not have the code "unknown". */
export const conditionVerification: Concepts = {
  system: 'http://terminology.hl7.org/CodeSystem/condition-ver-status',
  codes: new Set(['confirmed', 'differential', 'entered-in-error', 'provisional', 'refuted']),
};

/** AllergyIntolerance.clinicalStatus of STU3, and the clinical codes of AllergyIntolerance.status of DSTU2. */
export const allergyClinical: Concepts = {
  system: 'http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical',
  codes: new Set(['active', 'inactive', 'resolved']),
};

/**
 * AllergyIntolerance.verificationStatus of STU3, and the codes of AllergyIntolerance.status of DSTU2 that are
 * verification statuses.
 */
export const allergyVerification: Concepts = {
  system: 'http://terminology.hl7.org/CodeSystem/allergyintolerance-verification',
  codes: new Set(['confirmed', 'entered-in-error', 'refuted', 'unconfirmed']),
};

export const allergyCriticality = { CRITH: 'high', CRITL: 'low', CRITU: 'unable-to-assess' } as const;

/** Patient.link.type of DSTU2. */
export const linkType = { replace: 'replaced-by' } as const;
