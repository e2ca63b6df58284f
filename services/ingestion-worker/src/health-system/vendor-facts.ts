import type { FhirVersion } from '@tributary/contracts';

/** What a search has to name, one set of parameters for each search that is made. */
export type RequiredParameters = Record<string, string>[];

interface VendorFact {
  /** What the server says of itself in `software.name` or `publisher`. */
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
/** Sections of HL7 table 0074, and the LOINC parts that US Core uses. */
const reportCategories = ['LAB', 'RAD', 'PAT', 'MB', 'GE', 'CUS', 'LP29684-5', 'LP29708-2', 'LP7839-6'];
const carePlanCategories = ['assess-plan', '38717003', '734163000'];
const intents = 'order,plan,proposal,original-order,reflex-order,filler-order,instance-order,option';

/** The searches that make up a type whose server refuses a plain search by patient; none where nothing is known to help. */
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

/** Facts gathered from the vendors' own documentation: which types they refuse without more than the patient. */
const facts: VendorFact[] = [
  { vendor: /epic/i, releases: ['stu3', 'r4'], type: 'Observation' },
  { vendor: /epic/i, releases: ['stu3', 'r4'], type: 'CarePlan' },
  { vendor: /athena/i, releases: ['r4'], type: 'MedicationRequest' },
];

/** The searches a vendor is known to want for a type, or none when a plain one by patient does. */
export function vendorParameters(software: string, release: FhirVersion, type: string): RequiredParameters {
  const isKnown = facts.some(
    (fact) => fact.type === type && fact.releases.includes(release) && fact.vendor.test(software),
  );
  return isKnown ? requiredParameters(type, release) : [];
}
