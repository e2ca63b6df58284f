import { z } from 'zod';
import type { FhirVersion } from '../releases';

/** The names of resource types, separated by commas, each once. */
export const resourceTypeList = z
  .string()
  .regex(/^[A-Z][A-Za-z]{1,63}(,[A-Z][A-Za-z]{1,63}){0,199}$/, 'must be resource types, separated by commas')
  .transform((text) => [...new Set(text.split(','))])
  .meta({ documented: { type: 'string', examples: ['Observation,Condition'] } });

/** The types of the first US Core and Argonaut guides, which most health systems offer. */
const coreTypesOfEveryRelease = [
  'AllergyIntolerance',
  'Binary',
  'CarePlan',
  'Condition',
  'Device',
  'DiagnosticReport',
  'DocumentReference',
  'Encounter',
  'Goal',
  'Immunization',
  'Location',
  'Medication',
  'Observation',
  'Organization',
  'Patient',
  'Practitioner',
  'Procedure',
];
const coreTypesOfRelease: Record<FhirVersion, string[]> = {
  dstu2: ['MedicationOrder', 'MedicationStatement'],
  stu3: ['CareTeam', 'MedicationRequest', 'MedicationStatement'],
  r4: ['CareTeam', 'MedicationRequest', 'PractitionerRole', 'Provenance'],
};
/**
 * What later versions of US Core (6 to 8) add, and the other types of the Patient compartment that the patient APIs of
 * Epic (https://fhir.epic.com/Specifications) and Oracle Health (https://docs.oracle.com/en/industries/health/) offer.
 */
const furtherTypesOfEveryRelease = [
  'Appointment',
  'Coverage',
  'EpisodeOfCare',
  'FamilyMemberHistory',
  'Flag',
  'ImagingStudy',
  'ImmunizationRecommendation',
  'List',
  'Media',
  'MedicationAdministration',
  'MedicationDispense',
  'NutritionOrder',
  'QuestionnaireResponse',
  'RelatedPerson',
  'Specimen',
];
const furtherTypesOfRelease: Record<FhirVersion, string[]> = {
  dstu2: ['DiagnosticOrder', 'ProcedureRequest', 'ReferralRequest'],
  stu3: ['Consent', 'ExplanationOfBenefit', 'PractitionerRole', 'ProcedureRequest', 'ReferralRequest'],
  r4: [
    'AdverseEvent',
    'Communication',
    'Consent',
    'DeviceRequest',
    'DeviceUseStatement',
    'ExplanationOfBenefit',
    'MedicationStatement',
    'ServiceRequest',
  ],
};

/** The types that most health systems offer, sorted; requested where a scope for one of the others is refused. */
export function coreTypes(release: FhirVersion): string[] {
  return [...coreTypesOfEveryRelease, ...coreTypesOfRelease[release]].sort();
}

/**
 * The clinical resource types of a release, sorted. Where a health system refuses the wildcard scope, a scope is
 * requested for each of them; and a collection reports an outcome for each of them, whether it was searched or not.
 */
export function requestedTypes(release: FhirVersion): string[] {
  return [...coreTypes(release), ...furtherTypesOfEveryRelease, ...furtherTypesOfRelease[release]].sort();
}
