import { newerCategories, observations, provenance } from '../added-resources';
import { type Expectation } from './expectation';

const practiceOfClaims = ({ ah_practice: practice = '' }: Record<string, string>): Record<string, string> => ({
  'ah-practice': `Organization/${practice}`,
});

/** Scenarios of what searches require and return. */
export const searchingExpectations: Expectation[] = [
  // no CapabilityStatement: every type is tried
  { scenario: 'metadata-unauthorized', outcomes: { Observation: 'complete' }, maxRefreshes: 2 },
  { scenario: 'metadata-broken', outcomes: { Observation: 'complete' } },

  // required parameters
  { scenario: 'category-required', warnings: { Observation: /category/, DocumentReference: /category/ } },
  { scenario: 'category-required-422', warnings: { Observation: /category/ } },
  { scenario: 'category-required-unexplained', warnings: { Observation: /category/ } },
  {
    scenario: 'category-required-fatal',
    username: 'person-103',
    adds: newerCategories,
    partial: ['Observation'],
    warnings: { Observation: /category/ },
    outcomes: { Observation: 'partial', CarePlan: 'partial', Condition: 'complete' },
    maxSearches: 21,
  },
  {
    scenario: 'category-required-fatal',
    release: 'dstu2',
    warnings: { Observation: /category/ },
    outcomes: { Observation: 'partial' },
  },
  { scenario: 'category-list-refused', warnings: { Observation: /category/ } },
  { scenario: 'intent-required', outcomes: { MedicationRequest: 'complete' } },
  {
    scenario: 'status-required',
    outcomes: { MedicationRequest: 'complete', Observation: 'complete' },
    warnings: { Procedure: /^$/ },
  },
  {
    scenario: 'beneficiary-required',
    username: 'brief-100',
    adds: (patient) => [
      {
        resourceType: 'Coverage',
        id: 'coverage-1',
        status: 'active',
        beneficiary: { reference: `Patient/${patient}` },
        payor: [{ display: 'A payor' }],
      },
    ],
  },
  { scenario: 'patient-id-required', release: 'dstu2', outcomes: { Observation: 'complete' } },
  { scenario: 'patient-id-undeclared', release: 'dstu2', outcomes: { Observation: 'complete' } },
  {
    scenario: 'patient-search-missing',
    partial: ['Immunization'],
    warnings: { Immunization: /offers no search of Immunization by patient/ },
    outcomes: { Immunization: 'refused', Observation: 'complete' },
  },

  {
    scenario: 'type-read-only',
    partial: ['Encounter', 'Goal', 'Location', 'Practitioner', 'Organization'],
    warnings: { Encounter: /offers reads of Encounter, but no searches/ },
    outcomes: { Encounter: 'partial', Observation: 'complete' },
    some: [/"resourceType":"Encounter"/],
  },

  // Provenance
  {
    scenario: 'provenance-by-target',
    username: 'person-108',
    adds: provenance,
    outcomes: { Provenance: 'complete', Observation: 'complete' },
    maxSearches: 17,
  },
  {
    scenario: 'provenance-included-only',
    username: 'brief-112',
    adds: provenance,
    outcomes: { Provenance: 'complete', Observation: 'complete' },
  },
  {
    scenario: 'provenance-include-refused',
    username: 'person-109',
    adds: provenance,
    partial: ['Provenance'],
    outcomes: { Provenance: 'refused', Observation: 'complete' },
    maxSearches: 21,
  },
  {
    scenario: 'provenance-by-target-only',
    username: 'brief-110',
    adds: provenance,
    partial: ['Provenance'],
    outcomes: { Provenance: 'refused', Observation: 'complete' },
  },
  { scenario: 'patient-required' },
  { scenario: 'ah-practice-required', searchParameters: practiceOfClaims },

  // vendors, recognized by their CapabilityStatement
  {
    scenario: 'vendor-epic',
    username: 'person-113',
    adds: newerCategories,
    partial: ['Observation'],
    outcomes: { Observation: 'partial', CarePlan: 'partial', Condition: 'complete', MedicationRequest: 'complete' },
    neverStatus: '400',
    maxSearches: 17,
  },
  {
    scenario: 'vendor-athena',
    username: 'person-114',
    searchParameters: practiceOfClaims,
    complete: true,
    neverStatus: '400',
    maxSearches: 17,
  },
  {
    scenario: 'vendor-oracle',
    username: 'person-115',
    // A page has 100 entries at most.
    adds: (patient) => [...provenance(patient), ...observations(patient, 101)],
    complete: true,
    outcomes: { Provenance: 'complete' },
    keys: ['Observation/observation-1', 'Observation/observation-101'],
    maxSearches: 17,
    maxRefreshes: 2,
  },
  { scenario: 'patient-by-id' },

  // $everything, incremental
  { scenario: 'everything' },
  { scenario: 'everything-broken' },
  { scenario: 'last-updated-ignored' },
  { scenario: 'reads-not-found' },
  { scenario: 'deleted-gone' },
  { scenario: 'conditional-reads' },
  { scenario: 'last-updated-refused' },
];
