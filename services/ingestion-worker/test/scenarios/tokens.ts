import { type Expectation, paged } from './expectation';

const large = 'walter-lindqvist';

/** Scenarios of tokens and granted scopes. */
export const tokensExpectations: Expectation[] = [
  // 401 in mid-collection, and lives of tokens
  { scenario: 'unauthorized-midway', refreshes: 1, maxRefreshes: 20 },
  {
    scenario: 'unauthorized-for-good',
    state: 'failed',
    error: /refuses its renewed access/,
    errorCode: 'access_lost',
    maxRefreshes: 20,
    partial: ['Patient', ...paged],
  },
  { scenario: 'nine-minutes', tokensExpire: true },
  { scenario: 'patient-negative', hasOwnResources: true, complete: true, keys: ['Patient/-20140000008325'] },
  { scenario: 'five-seconds+slow', username: large, refreshes: 1, tokensExpire: true },
  { scenario: 'refresh-absent+unauthorized-midway', refreshes: 1, maxRefreshes: 20 },
  { scenario: 'refresh-same+unauthorized-midway', refreshes: 1, maxRefreshes: 20 },
  { scenario: 'refresh-one-use+unauthorized-midway', refreshes: 1, maxRefreshes: 20 },
  { scenario: 'refresh-never', early: true },
  {
    scenario: 'refresh-refused+slow',
    username: 'amelia-hart',
    early: true,
    state: 'needs_reauthorization',
    maxRefreshes: 5,
    partial: paged,
  },
  ...['refresh-401-html', 'refresh-400-invalid-request', 'refresh-403'].map((scenario): Expectation => ({
    scenario: `${scenario}+slow`,
    username: 'amelia-hart',
    early: true,
    state: 'needs_reauthorization',
    maxRefreshes: 5,
    partial: paged,
  })),
  { scenario: 'refresh-unavailable+slow', username: 'load-100', refreshes: 1, maxRefreshes: 3, tokensExpire: true },
  {
    scenario: 'scopes-narrowed',
    absent: ['Procedure', 'DocumentReference', 'Practitioner', 'Organization', 'Binary', 'Immunization'],
    partial: paged.filter((type) => !['Observation', 'Condition', 'Encounter'].includes(type)),
  },
  { scenario: 'offline-refused' },
  {
    scenario: 'scopes-granted-granular',
    partial: ['Observation', 'Procedure', 'Practitioner', 'Organization', 'Location'],
    absent: paged.filter(
      (type) =>
        !['Observation', 'Encounter', 'Condition', 'Procedure', 'Practitioner', 'Organization', 'Location'].includes(
          type,
        ),
    ),
    warnings: { Observation: /a part of Observation only/, Immunization: /not to search/ },
    outcomes: { Observation: 'partial', Procedure: 'complete', Immunization: 'partial', Condition: 'complete' },
  },
];
