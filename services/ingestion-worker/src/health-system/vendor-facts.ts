import type { FhirVersion } from '@tributary/contracts';
import { elementModel } from '@tributary/fhir-definitions';

/** A search parameter that some servers require, with the values to name. */
export interface RequiredParameter {
  name: string;
  values: readonly string[];
  /**
   * The values are all codes of a required binding to a mandatory element: every valid resource matches one of them.
   */
  isExhaustive: boolean;
}

/** A search parameter for the patient. */
export interface PatientParameter {
  name: string;
  /** The value is a reference (`Patient/1`) instead of the id alone. */
  isReference: boolean;
  /** Other releases do not have it. */
  releases?: readonly FhirVersion[];
}

/**
 * The search parameters for the patient, in the order of preference. `patientId` is required by the DSTU2 servers of
 * Soarian (https://fhir.cerner.com/soarian/dstu2/).
 */
export const patientParameters: readonly PatientParameter[] = [
  { name: 'patient', isReference: false },
  { name: 'subject', isReference: true },
  { name: 'beneficiary', isReference: true },
  { name: 'patientId', isReference: false, releases: ['dstu2'] },
];

/**
 * The categories of FHIR (https://hl7.org/fhir/R4/valueset-observation-category.html), those that US Core 3 to 8 adds
 * (https://hl7.org/fhir/us/core/), and those of the Observation searches in Epic's API reference
 * (https://fhir.epic.com/Specifications). The ones that most servers have come first.
 */
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
  'sdoh',
  'functional-status',
  'disability-status',
  'cognitive-status',
  'treatment-intervention-preference',
  'care-experience-preference',
  'observation-adi-documentation',
  'clinical-test',
  'core-characteristics',
  'smartdata',
  'lda',
  'genomics',
  'newborn-delivery',
  'labor-delivery',
  'obstetrics-gynecology',
  'periodontal',
];
/** FHIR's and US Core's categories, and those of Epic's Condition searches (https://fhir.epic.com/Specifications). */
const conditionCategories = [
  'problem-list-item',
  'encounter-diagnosis',
  'health-concern',
  'sdoh',
  'functional-status',
  'disability-status',
  'cognitive-status',
  'medical-history',
  'infection',
  'genomics',
  'dental-finding',
  'reason-for-visit',
];
/**
 * FHIR DSTU2 (https://hl7.org/fhir/DSTU2/valueset-condition-category.html) and the Argonaut Data Query guide
 * (https://www.fhir.org/guides/argonaut/r2/).
 */
const dstu2ConditionCategories = [
  'diagnosis',
  'problem',
  'health-concern',
  'complaint',
  'symptom',
  'finding',
  'encounter-diagnosis',
];
/**
 * HL7 v2 table 0074 (https://terminology.hl7.org/CodeSystem-v2-0074.html), and the LOINC parts of US Core's
 * DiagnosticReport profile for notes.
 */
const reportCategories = [
  'LAB',
  'RAD',
  'PAT',
  'MB',
  'GE',
  'CUS',
  'LP29684-5',
  'LP29708-2',
  'LP7839-6',
  'IMG',
  'CT',
  'NMR',
  'CP',
  'CH',
  'HM',
  'EC',
  'SP',
  'OTH',
];
/**
 * US Core (`assess-plan`), and the SNOMED CT codes of Epic's CarePlan searches: longitudinal, encounter-level,
 * inpatient, outpatient, oncology (https://fhir.epic.com/Specifications).
 */
const carePlanCategories = ['assess-plan', '38717003', '734163000', '736353004', '736271009', '736378000'];
/**
 * US Core (`clinical-note`; `42348-3` for advance directives), and the categories of Epic's DocumentReference searches
 * (https://fhir.epic.com/Specifications).
 */
const documentCategories = [
  'clinical-note',
  '42348-3',
  'imaging-result',
  'correspondence',
  'document-information',
  'clinical-reference',
  'external-ccda',
  'summary-document',
];

/**
 * The elements of R4 with a required binding (https://hl7.org/fhir/R4/terminologies-valuesets.html) that servers may
 * require in searches, by type: those of `intent` in every release.
 */
const requiredElements: ReadonlyMap<string, readonly string[]> = new Map([
  ['CarePlan', ['status']],
  ['DiagnosticReport', ['status']],
  ['DocumentReference', ['status']],
  ['Goal', ['lifecycleStatus']],
  ['Immunization', ['status']],
  ['MedicationRequest', ['intent', 'status']],
  ['MedicationStatement', ['status']],
  ['Observation', ['status']],
  ['Procedure', ['status']],
  ['ServiceRequest', ['intent', 'status']],
]);

function categoriesOf(type: string, release: FhirVersion): RequiredParameter[] {
  const by = (values: readonly string[], name = 'category'): RequiredParameter[] => [
    { name, values, isExhaustive: false },
  ];
  switch (type) {
    case 'Observation':
      return by(observationCategories);
    case 'Condition':
      return by(release === 'dstu2' ? dstu2ConditionCategories : conditionCategories);
    case 'DiagnosticReport':
      return by(reportCategories);
    case 'CarePlan':
      return by(carePlanCategories);
    case 'DocumentReference':
      return by(documentCategories, release === 'r4' ? 'category' : 'class');
    default:
      return [];
  }
}

/**
 * The parameters that servers require which refuse a search of the type by patient alone. Those that leave nothing out
 * come first: US Core lets servers require the status
 * (https://hl7.org/fhir/us/core/general-guidance.html#search-for-servers-requiring-status).
 */
export function requiredParameters(type: string, release: FhirVersion): RequiredParameter[] {
  const { elements } = elementModel('r4').type(type) ?? {};
  const names = requiredElements.get(type)?.filter((name) => release === 'r4' || name === 'intent') ?? [];
  const exhaustive = names.map((name) => ({
    name: name === 'lifecycleStatus' ? 'lifecycle-status' : name,
    values: [...(elements?.get(name)?.binding?.codes ?? [])],
    isExhaustive: true,
  }));
  return [...exhaustive, ...categoriesOf(type, release)];
}

interface VendorFact {
  /** Matches `software.name` or `publisher` of the CapabilityStatement. */
  vendor: RegExp;
  releases: FhirVersion[];
  type: string;
  /** The parameter that its searches require. */
  parameter: string;
}

/**
 * Types that vendors refuse to search by patient alone, according to their API references: Epic
 * https://fhir.epic.com/Specifications, athenahealth https://docs.athenahealth.com/api/. Other servers are handled by
 * the fallbacks of a refused search.
 */
const facts: VendorFact[] = [
  { vendor: /epic/i, releases: ['dstu2', 'stu3', 'r4'], type: 'Observation', parameter: 'category' },
  { vendor: /epic/i, releases: ['stu3', 'r4'], type: 'CarePlan', parameter: 'category' },
  { vendor: /athena/i, releases: ['r4'], type: 'MedicationRequest', parameter: 'intent' },
];

/** The parameter that a vendor is known to require for a type; undefined when a search by patient is enough. */
export function vendorParameter(software: string, release: FhirVersion, type: string): RequiredParameter | undefined {
  const fact = facts.find(
    (candidate) => candidate.type === type && candidate.releases.includes(release) && candidate.vendor.test(software),
  );
  return fact && requiredParameters(type, release).find(({ name }) => name === fact.parameter);
}
