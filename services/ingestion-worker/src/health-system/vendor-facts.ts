import type { FhirVersion } from '@tributary/contracts';

/** Sets of parameters that a search requires; the type is collected by one search per set. */
export type RequiredParameters = Record<string, string>[];

interface VendorFact {
  /** Matches `software.name` or `publisher` of the CapabilityStatement. */
  vendor: RegExp;
  releases: FhirVersion[];
  type: string;
}

const observationCategories = [
  'vital-signs',
  'laboratory',
  'social-history',
  'exam',
  'imaging',
  'procedure',
  'survey',
  'therapy',
  'activity',
];
const conditionCategories: Record<FhirVersion, string[]> = {
  dstu2: ['diagnosis', 'problem', 'complaint', 'symptom', 'finding'],
  stu3: ['problem-list-item', 'encounter-diagnosis', 'health-concern'],
  r4: ['problem-list-item', 'encounter-diagnosis', 'health-concern'],
};
/**
 * HL7 v2 table 0074 (https://terminology.hl7.org/CodeSystem-v2-0074.html), and the LOINC parts of US Core's
 * DiagnosticReport profile.
 */
const reportCategories = ['LAB', 'RAD', 'PAT', 'MB', 'GE', 'CUS', 'LP29684-5', 'LP29708-2', 'LP7839-6'];
const carePlanCategories = ['assess-plan', '38717003', '734163000'];
const intents = 'order,plan,proposal,original-order,reflex-order,filler-order,instance-order,option';

/** The parameter sets for a type whose server refuses a search by patient alone; empty when none is known. */
export function requiredParameters(type: string, release: FhirVersion): RequiredParameters {
  const byCategory = (categories: string[]): RequiredParameters => categories.map((category) => ({ category }));
  switch (type) {
    case 'Observation':
      return byCategory(observationCategories);
    case 'Condition':
      return byCategory(conditionCategories[release]);
    case 'DiagnosticReport':
      return byCategory(reportCategories);
    case 'CarePlan':
      return byCategory(carePlanCategories);
    case 'DocumentReference':
      return byCategory(['clinical-note']);
    case 'Goal':
      return [{ 'lifecycle-status': 'proposed,planned,accepted,active,on-hold,completed,cancelled' }];
    case 'MedicationRequest':
    case 'ServiceRequest':
    case 'RequestGroup':
    case 'NutritionOrder':
      return [{ intent: intents }];
    default:
      return [];
  }
}

/**
 * Types that vendors refuse to search by patient alone, according to their API references: Epic
 * https://fhir.epic.com/Specifications, athenahealth https://docs.athenahealth.com/api/. Other servers are handled by
 * the fallbacks of a refused search.
 */
const facts: VendorFact[] = [
  { vendor: /epic/i, releases: ['stu3', 'r4'], type: 'Observation' },
  { vendor: /epic/i, releases: ['stu3', 'r4'], type: 'CarePlan' },
  { vendor: /athena/i, releases: ['r4'], type: 'MedicationRequest' },
];

/** The parameter sets that a vendor is known to require for a type; empty when a search by patient is enough. */
export function vendorParameters(software: string, release: FhirVersion, type: string): RequiredParameters {
  const isKnown = facts.some(
    (fact) => fact.type === type && fact.releases.includes(release) && fact.vendor.test(software),
  );
  return isKnown ? requiredParameters(type, release) : [];
}
