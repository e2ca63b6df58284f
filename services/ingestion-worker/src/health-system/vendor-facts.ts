import type { FhirVersion } from '@tributary/contracts';

interface VendorFact {
  /** What the server says of itself in `software.name` or `publisher`, or the end of its host name. */
  vendor: RegExp;
  releases: FhirVersion[];
  type: string;
  /** Query parameters without which the type is refused; each inner list is one search. */
  searches: Record<string, string>[];
}

const observationCategories = ['vital-signs', 'laboratory', 'social-history', 'exam', 'imaging', 'procedure', 'survey', 'therapy', 'activity'];
const carePlanCategories = ['assess-plan', '38717003', '734163000'];

/** Searches by category, for a type whose server refuses a search without one. */
export function categorySearches(type: string): Record<string, string>[] {
  if (type === 'Observation') return observationCategories.map((category) => ({ category }));
  if (type === 'CarePlan') return carePlanCategories.map((category) => ({ category }));
  if (type === 'Condition') return ['problem-list-item', 'encounter-diagnosis', 'health-concern'].map((category) => ({ category }));
  if (type === 'DocumentReference') return [{ category: 'clinical-note' }];
  if (type === 'Goal') return [{ 'lifecycle-status': 'active,completed,cancelled' }];
  if (['MedicationRequest', 'ServiceRequest', 'RequestGroup', 'NutritionOrder'].includes(type)) return [{ intent: 'order,plan,proposal,original-order,reflex-order,filler-order,instance-order,option' }];
  return [];
}

/** Facts gathered from the vendors' own documentation. */
const facts: VendorFact[] = [
  { vendor: /epic/i, releases: ['stu3', 'r4'], type: 'Observation', searches: categorySearches('Observation') },
  { vendor: /epic/i, releases: ['stu3', 'r4'], type: 'CarePlan', searches: categorySearches('CarePlan') },
  { vendor: /athena/i, releases: ['r4'], type: 'MedicationRequest', searches: categorySearches('MedicationRequest') },
];

/** The searches a vendor wants for a type, or undefined when a plain one by patient does. */
export function vendorSearches(software: string, release: FhirVersion, type: string): Record<string, string>[] | undefined {
  return facts.find((fact) => fact.type === type && fact.releases.includes(release) && fact.vendor.test(software))?.searches;
}
