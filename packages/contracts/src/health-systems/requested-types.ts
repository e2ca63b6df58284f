import type { FhirVersion } from '../releases';

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

/**
 * The clinical resource types of a release, sorted. Where a health system refuses the wildcard scope, a scope is
 * requested for each of them; and a collection reports an outcome for each of them, whether it was searched or not.
 */
export function requestedTypes(release: FhirVersion): string[] {
  return [...typesOfEveryRelease, ...typesOfRelease[release]].sort();
}
