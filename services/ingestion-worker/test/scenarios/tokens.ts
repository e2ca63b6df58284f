import { type Expectation, paged } from './expectation';

const large = 'walter-lindqvist';

const categorySystem = 'http://terminology.hl7.org/CodeSystem/observation-category';

/** The scopes that the scenario scopes-granular announces. */
const announcedScopes = [
  'openid',
  'fhirUser',
  'launch/patient',
  'offline_access',
  'patient/Patient.rs',
  'patient/Condition.rs',
  ...['laboratory', 'vital-signs'].map((code) => `patient/Observation.rs?category=${categorySystem}|${code}`),
];

const singleTypes = ['Patient', ...paged, 'CarePlan', 'CareTeam', 'Device', 'Goal'];

const notAnnounced = singleTypes.filter((type) => !['Patient', 'Observation', 'Condition'].includes(type));

const notOfUser = singleTypes.filter(
  (type) => !['Patient', 'Observation', 'Condition', 'Encounter', 'Practitioner'].includes(type),
);

/** Scenarios of tokens and granted scopes. */
export const tokensExpectations: Expectation[] = [
  // 401 in mid-collection, and lives of tokens
  { scenario: 'unauthorized-midway', refreshes: 1, maxRefreshes: 19 },
  {
    scenario: 'unauthorized-permanently',
    state: 'failed',
    error: /refuses its renewed access/,
    errorCode: 'access_lost',
    maxRefreshes: 19,
    partial: ['Patient', ...paged],
  },
  { scenario: 'access-token-9-minutes', maxRefreshes: 2 },
  { scenario: 'patient-id-negative', hasOwnResources: true, complete: true, keys: ['Patient/-20140000008325'] },
  { scenario: 'access-token-5-seconds+slow', username: large, refreshes: 1, tokensExpire: true },
  { scenario: 'refresh-absent+unauthorized-midway', refreshes: 1, maxRefreshes: 19 },
  { scenario: 'refresh-same+unauthorized-midway', refreshes: 1, maxRefreshes: 19 },
  { scenario: 'refresh-one-use+unauthorized-midway', refreshes: 1, maxRefreshes: 19 },
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
  {
    scenario: 'scopes-of-user',
    absent: notOfUser,
    warnings: Object.fromEntries(
      ['Procedure', 'Immunization', 'MedicationRequest', 'DocumentReference', 'CarePlan'].map((type) => [
        type,
        /was not granted/,
      ]),
    ),
    outcomes: { Practitioner: 'complete', Observation: 'complete', Immunization: 'refused', Procedure: 'refused' },
    some: [/"resourceType":"Practitioner"/],
  },
  { scenario: 'offline-not-granted' },
  ...['scopes-announced-no-offline', 'scopes-offline-refused'].map((scenario): Expectation => ({
    scenario,
    requestedScope: 'openid fhirUser launch/patient patient/*.read',
  })),
  {
    scenario: 'wildcard-refused',
    requestedScope: ['launch/patient', 'offline_access', ...singleTypes.map((type) => `patient/${type}.read`)].join(
      ' ',
    ),
    outcomes: { Observation: 'complete', Condition: 'complete' },
  },
  {
    scenario: 'scopes-granular',
    requestedScope: announcedScopes.join(' '),
    partial: ['Observation'],
    absent: notAnnounced,
    // No scope for them is announced, and so none is requested: they count as not offered.
    unreachable: notAnnounced,
    warnings: { Observation: /a part of Observation only/, Immunization: /no scope for Immunization was requested/ },
    outcomes: { Observation: 'partial', Condition: 'complete', Immunization: 'not_offered' },
  },
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
