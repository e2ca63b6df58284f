import type { FhirVersion } from '@tributary/contracts';

const launchScopes = ['launch/patient', 'openid', 'fhirUser', 'offline_access'];

const typesOfEveryRelease = [
  'AllergyIntolerance',
  'Binary',
  'CarePlan',
  'Condition',
  'Coverage',
  'Device',
  'DiagnosticReport',
  'DocumentReference',
  'Encounter',
  'Goal',
  'Immunization',
  'Location',
  'Medication',
  'MedicationStatement',
  'Observation',
  'Organization',
  'Patient',
  'Practitioner',
  'Procedure',
  'RelatedPerson',
  'Specimen',
];
const typesOfRelease: Record<FhirVersion, string[]> = {
  dstu2: ['MedicationOrder'],
  stu3: ['CareTeam', 'MedicationRequest', 'PractitionerRole'],
  r4: ['CareTeam', 'MedicationRequest', 'PractitionerRole', 'Provenance', 'ServiceRequest'],
};

export interface ScopeChoice {
  releases: readonly FhirVersion[];
  /** As discovery found them; absent for most DSTU2 and many other systems. */
  supported?: readonly string[] | undefined;
  /** The registration's own scopes come before everything else. */
  registered?: string | undefined;
  /** `perType` is asked for where the wildcard was refused. */
  form: 'wildcard' | 'perType';
}

/** The scopes to ask for: sign-in, the patient, a lasting grant, and reading of everything, in the way that the health system writes it. */
export function scopesToAsk({ releases, supported = [], registered, form }: ScopeChoice): string {
  if (registered) return registered;
  const wildcard = ['patient/*.read', 'patient/*.rs'].find((scope) => supported.includes(scope));
  const announced = supported.filter((scope) => /^patient\/[A-Z][A-Za-z]*\.(read|rs)$/.test(scope));
  if (form === 'wildcard' && (wildcard || announced.length === 0))
    return [...launchScopes, wildcard ?? 'patient/*.read'].join(' ');
  return [...launchScopes, ...(announced.length > 0 ? announced : everyType(releases))].join(' ');
}

function everyType(releases: readonly FhirVersion[]): string[] {
  const types = new Set([...typesOfEveryRelease, ...releases.flatMap((release) => typesOfRelease[release])]);
  return [...types].sort().map((type) => `patient/${type}.read`);
}
