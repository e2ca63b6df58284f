import { type Expectation, paged } from './expectation';

const everyType = ['Patient', 'CarePlan', 'CareTeam', 'Coverage', 'Device', 'Goal', ...paged];

/** Scenarios of refusals, throttling and errors. */
export const refusingExpectations: Expectation[] = [
  // one type refused
  { scenario: 'type-forbidden', partial: ['Condition'], warnings: { Condition: /refused Condition with 403/ } },
  { scenario: 'type-missing', partial: ['Procedure'], warnings: { Procedure: /refused Procedure with 404/ } },
  {
    scenario: 'type-unimplemented',
    partial: ['Immunization'],
    warnings: { Immunization: /refused Immunization with 501/ },
  },

  {
    scenario: 'searches-unauthorized',
    partial: paged,
    warnings: { Condition: /refused Condition with 401/, Encounter: /refused Encounter with 401/ },
    refreshes: 1,
    maxRefreshes: 2,
  },

  // everything refused
  {
    scenario: 'all-forbidden',
    state: 'failed',
    error: /refused Patient with 403/,
    errorCode: 'patient_refused',
    partial: everyType,
  },
  ...['patient-missing', 'patient-forbidden', 'patient-html'].map((scenario) => ({
    scenario,
    // Only the Patient refers to the general practitioner.
    partial: ['Patient', 'Practitioner'],
    unreachable: ['Practitioner'],
    warnings: { Patient: /refused Patient with 40[034]/ },
    outcomes: { Patient: 'refused', Observation: 'complete', Condition: 'complete' } as const,
  })),
  {
    scenario: 'searches-forbidden',
    state: 'failed',
    error: /none of the searches of \d+ resource types was answered/,
    errorCode: 'everything_refused',
    partial: everyType,
  },
  {
    scenario: 'searches-invalid',
    state: 'failed',
    error: /none of the searches of \d+ resource types was answered/,
    errorCode: 'everything_refused',
    partial: everyType,
  },

  // one type broken
  {
    scenario: 'type-broken',
    partial: ['Condition'],
    warnings: { Condition: /responded with 500 4 times/ },
    outcomes: { Condition: 'failed', Observation: 'complete' },
  },
  {
    scenario: 'patient-broken',
    partial: ['Patient'],
    warnings: { Patient: /responded with 500 4 times/ },
    outcomes: { Patient: 'failed', Observation: 'complete', Condition: 'complete' },
  },
  {
    scenario: 'type-html',
    partial: ['Condition'],
    warnings: { Condition: /not JSON/ },
    outcomes: { Condition: 'failed', Observation: 'complete' },
  },

  // 429, 503
  { scenario: 'retry-after-seconds' },
  { scenario: 'retry-after-date' },
  { scenario: 'retry-after-other-header' },
  { scenario: 'retry-after-absent' },
  { scenario: 'retry-after-long' },
  { scenario: 'retry-after-invalid' },
  { scenario: 'unavailable' },
  { scenario: 'concurrency-limit-2', username: 'brief-101' },

  // OperationOutcome inside a searchset
  {
    scenario: 'outcome-in-page',
    warnings: { Observation: /warning, suppressed/ },
    outcomes: { Observation: 'partial', Condition: 'partial' },
  },
  {
    scenario: 'warning-in-page',
    warnings: { Observation: /warning, processing/ },
    outcomes: { Observation: 'complete' },
  },

  // OperationOutcome with a successful status
  {
    scenario: 'error-in-page',
    partial: ['AllergyIntolerance'],
    warnings: { AllergyIntolerance: /error, invalid/ },
    outcomes: { AllergyIntolerance: 'failed', Condition: 'complete' },
  },
  {
    scenario: 'error-instead-of-page',
    partial: ['AllergyIntolerance'],
    warnings: { AllergyIntolerance: /error, exception/ },
    outcomes: { AllergyIntolerance: 'failed', Condition: 'complete' },
  },
  {
    scenario: 'withheld-instead-of-page',
    partial: ['AllergyIntolerance'],
    warnings: { AllergyIntolerance: /warning, too-costly/ },
    outcomes: { AllergyIntolerance: 'partial', Condition: 'complete' },
  },
  {
    scenario: 'error-in-every-page',
    state: 'failed',
    error: /none of the searches of \d+ resource types was answered; .*error, invalid/,
    errorCode: 'everything_refused',
    partial: everyType,
  },
  { scenario: 'nothing-found-outcome', username: 'brief-120', complete: true },
  { scenario: 'nothing-found-204', username: 'brief-121', complete: true, status: '204' },
  { scenario: 'nothing-found-empty', username: 'brief-122', complete: true },

  // addresses
  {
    scenario: 'redirect-private-host',
    partial: ['Condition'],
    warnings: { Condition: /leads to another host/ },
    outcomes: { Condition: 'failed' },
  },
  {
    scenario: 'redirect-other-origin',
    partial: ['Condition'],
    warnings: { Condition: /leads to another host/ },
    outcomes: { Condition: 'failed' },
  },
];
