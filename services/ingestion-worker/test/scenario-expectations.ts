import type { ConnectionErrorCode, FhirVersion, TypeOutcome } from '@tributary/contracts';
import { type AddedResource, laterUsCoreTypes, newerCategories, provenance } from './added-resources';

/** What must hold after a collection from the sandbox with a scenario. */
export interface Expectation {
  /** The scenario, or several joined by `+`. */
  scenario: string | undefined;
  release?: FhirVersion;
  /** A person for this scenario alone. */
  username?: string;
  /** Resources that are added to the record of the person, who is of this scenario alone. */
  adds?: (patientId: string) => AddedResource[];
  /** Depends on time: collected before the others. */
  early?: boolean;
  /** Default: completed. */
  state?: 'completed' | 'failed' | 'needs_reauthorization';
  /** The reason of the failure. */
  error?: RegExp;
  errorCode?: ConnectionErrorCode;
  /** Only resources of these types may be missing. */
  partial?: string[];
  /** No resource of these types may exist. */
  absent?: string[];
  /** No reference leads to resources of these types: that they are missing is not reported. */
  unreachable?: string[];
  /** The scenario changes the content of resources: only their keys are compared. */
  rewritten?: boolean;
  warnings?: Record<string, RegExp>;
  outcomes?: Record<string, TypeOutcome>;
  /** Nothing is missing and no warning is reported, except for types that are not offered. */
  complete?: boolean;
  /** A status that some response must have had. */
  status?: string;
  /** A status that no response may have had; the person is of this scenario alone. */
  neverStatus?: string;
  /** The maximum number of different searches; a busy machine may repeat each. */
  maxSearches?: number;
  /** The minimum number of failed resources by type. */
  failed?: Record<string, number>;
  /** What user-management reads from the access token, by its claims. */
  searchParameters?: (claims: Record<string, string>) => Record<string, string>;
  /** The minimum number of token refreshes. */
  refreshes?: number;
  /** The maximum number of refreshes that are sent, refused ones included. Default: none. */
  maxRefreshes?: number;
  /** Access tokens expire within the collection: those that are renewed for this reason do not count for the maximum. */
  tokensExpire?: true;
  /** Each pattern must match some resource. */
  some?: RegExp[];
}

const circle: Partial<Expectation> = {
  warnings: { Observation: /its pages lead in a circle/ },
  outcomes: { Observation: 'failed' },
};
const strayLink: Partial<Expectation> = {
  warnings: { Observation: /its link to the next page is no address of this health system/ },
  outcomes: { Observation: 'failed', Patient: 'complete' },
};
const paged = [
  'Observation',
  'Encounter',
  'Condition',
  'Procedure',
  'MedicationRequest',
  'MedicationStatement',
  'Immunization',
  'DiagnosticReport',
  'DocumentReference',
  'AllergyIntolerance',
  'RelatedPerson',
  'Practitioner',
  'Binary',
  'Medication',
  'Location',
  'Organization',
];
const everyType = ['Patient', 'CarePlan', 'CareTeam', 'Coverage', 'Device', 'Goal', ...paged];
const large = 'walter-lindqvist';

const practiceOfClaims = ({ ah_practice: practice = '' }: Record<string, string>): Record<string, string> => ({
  'ah-practice': `Organization/${practice}`,
});

/** Every scenario of the sandbox that concerns collecting. */
export const expectations: Expectation[] = [
  { scenario: undefined, username: 'person-102', complete: true },
  {
    scenario: undefined,
    username: 'person-111',
    adds: laterUsCoreTypes,
    complete: true,
    outcomes: { MedicationDispense: 'complete', QuestionnaireResponse: 'complete', FamilyMemberHistory: 'complete' },
    some: [/"MedicationDispense"/, /"QuestionnaireResponse"/, /"FamilyMemberHistory"/],
  },
  { scenario: undefined, release: 'stu3' },
  { scenario: undefined, release: 'dstu2' },

  // next link
  { scenario: 'next-relative' },
  { scenario: 'next-path-only' },
  { scenario: 'next-schemeless' },
  { scenario: 'next-double-port' },
  { scenario: 'next-internal-host' },
  { scenario: 'next-long' },
  { scenario: 'next-expired', warnings: { Observation: /refused with 410; the search was restarted/ } },
  { scenario: 'next-empty-once', warnings: { Observation: /a page was empty; the search was restarted/ } },
  {
    scenario: 'next-empty',
    warnings: { Observation: /a page was empty/ },
    outcomes: { Observation: 'failed', Patient: 'complete' },
    partial: paged,
  },
  { scenario: 'next-self', ...circle, partial: paged },
  { scenario: 'next-loop', ...circle, partial: paged },
  { scenario: 'next-endless', ...circle },
  { scenario: 'next-foreign', ...strayLink, partial: paged },
  { scenario: 'next-inward', ...strayLink, partial: paged },
  { scenario: 'start-index' },

  // total, size
  { scenario: 'total-absent' },
  { scenario: 'total-wrong' },
  { scenario: 'ten-a-page' },
  { scenario: 'heavy-pages', rewritten: true },

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
  { scenario: 'category-list-refused', warnings: { Observation: /category/ } },
  { scenario: 'intent-required', outcomes: { MedicationRequest: 'complete' } },
  {
    scenario: 'status-required',
    outcomes: { MedicationRequest: 'complete', Observation: 'complete' },
    warnings: { Procedure: /^$/ },
  },
  {
    scenario: 'beneficiary-required',
    username: 'person-100',
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

  // page size
  { scenario: 'count-refused', username: 'person-104', warnings: { Encounter: /with pages of 100/ }, maxSearches: 18 },
  {
    scenario: 'count-forbidden',
    username: 'person-105',
    warnings: { Encounter: /with pages of 100/ },
    maxSearches: 18,
  },
  { scenario: 'count-over-50-refused', username: 'person-106', maxSearches: 19 },
  { scenario: 'count-unsupported', username: 'person-107', warnings: { Encounter: /without one/ }, maxSearches: 20 },
  {
    scenario: 'large-pages-time-out',
    warnings: { Observation: /repeated with pages of 50/ },
    outcomes: { Observation: 'complete' },
  },
  { scenario: 'count-capped' },

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
    username: 'person-112',
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
    username: 'person-110',
    adds: provenance,
    partial: ['Provenance'],
    outcomes: { Provenance: 'refused', Observation: 'complete' },
  },
  { scenario: 'patient-required' },
  { scenario: 'ah-practice', searchParameters: practiceOfClaims },

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
    adds: provenance,
    complete: true,
    outcomes: { Provenance: 'complete' },
    maxSearches: 17,
  },
  { scenario: 'patient-by-id' },

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
    scenario: 'everything-forbidden',
    state: 'failed',
    error: /refused Patient with 403/,
    errorCode: 'patient_refused',
    partial: everyType,
  },
  {
    scenario: 'patient-missing',
    state: 'failed',
    error: /refused Patient with 404/,
    errorCode: 'patient_refused',
    partial: everyType,
  },
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
    warnings: { Condition: /answered 500 4 times/ },
    outcomes: { Condition: 'failed', Observation: 'complete' },
  },
  {
    scenario: 'patient-broken',
    partial: ['Patient'],
    warnings: { Patient: /answered 500 4 times/ },
    outcomes: { Patient: 'failed', Observation: 'complete', Condition: 'complete' },
  },
  {
    scenario: 'type-html',
    partial: ['Condition'],
    warnings: { Condition: /not JSON/ },
    outcomes: { Condition: 'failed', Observation: 'complete' },
  },

  // a page fails
  {
    scenario: 'page-fails',
    partial: ['Observation'],
    warnings: { Observation: /answered 500 4 times/ },
    outcomes: { Observation: 'failed', Condition: 'complete' },
  },
  { scenario: 'page-fails-once' },
  { scenario: 'page-cut-short' },

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

  // 429, 503
  { scenario: 'retry-after-seconds' },
  { scenario: 'retry-after-date' },
  { scenario: 'retry-after-other-header' },
  { scenario: 'retry-after-untold' },
  { scenario: 'retry-after-long' },
  { scenario: 'retry-after-nonsense' },
  { scenario: 'unavailable' },
  { scenario: 'two-at-once', username: 'person-101' },

  // crash, restart
  { scenario: 'hangs-up' },
  { scenario: 'slow' },

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
  { scenario: 'nothing-found-outcome', username: 'person-120', complete: true },
  { scenario: 'nothing-found-204', username: 'person-121', complete: true, status: '204' },
  { scenario: 'nothing-found-empty', username: 'person-122', complete: true },

  // $everything, incremental
  { scenario: 'everything' },
  { scenario: 'everything-broken' },
  { scenario: 'last-updated-ignored' },
  { scenario: 'reads-not-found' },
  { scenario: 'deleted-gone' },
  { scenario: 'conditional-reads' },
  { scenario: 'last-updated-refused' },

  // references
  { scenario: 'references-absolute', rewritten: true },
  { scenario: 'references-versioned', rewritten: true },
  { scenario: 'references-foreign', rewritten: true, absent: ['Practitioner'], unreachable: ['Practitioner'] },
  {
    scenario: 'references-nowhere',
    rewritten: true,
    absent: ['Practitioner'],
    warnings: { Practitioner: /refused with 404/ },
    outcomes: { Practitioner: 'partial' },
  },
  { scenario: 'references-urn', rewritten: true, absent: ['Practitioner'], unreachable: ['Practitioner'] },
  {
    scenario: 'references-forbidden',
    absent: ['Practitioner', 'Organization'],
    partial: ['Location'],
    warnings: { Practitioner: /refused with 403/, Organization: /refused with 403/ },
  },
  {
    scenario: 'references-refused-at-first',
    absent: ['Practitioner', 'Binary'],
    partial: ['Organization', 'Location'],
    outcomes: { Practitioner: 'partial', Binary: 'partial', Observation: 'complete' },
  },
  { scenario: 'second-system', rewritten: true, some: [/"language":"en-GB"/] },

  // Binary, attachments
  { scenario: 'attachments-absolute', rewritten: true },
  { scenario: 'attachments-path-absolute', rewritten: true },
  { scenario: 'attachments-leading-slash', rewritten: true },
  { scenario: 'attachments-presigned', rewritten: true },
  {
    scenario: 'attachments-expired',
    rewritten: true,
    absent: ['Binary'],
    warnings: { Binary: /refused with 403/ },
    outcomes: { Binary: 'partial' },
  },
  ...['attachments-elsewhere', 'attachments-inward', 'attachments-redirected'].map((scenario) => ({
    scenario,
    rewritten: true,
    absent: ['Binary'],
    warnings: { Binary: /at another host/ },
    outcomes: { Binary: 'partial' as const, DocumentReference: 'complete' as const },
  })),
  { scenario: 'attachments-untyped', rewritten: true, some: [/"resourceType":"Binary".*"contentType":"text\/plain/] },
  { scenario: 'attachments-mistyped', rewritten: true, some: [/"resourceType":"Binary".*"contentType":"text\/plain/] },
  { scenario: 'attachments-regenerated', rewritten: true },
  { scenario: 'attachments-huge', absent: ['Binary'], warnings: { Binary: /larger than 20 MB/ } },
  {
    scenario: 'attachments-gone',
    absent: ['Binary'],
    warnings: { Binary: /refused with 404/ },
    outcomes: { Binary: 'partial' },
  },

  // Accept header
  { scenario: 'accept-strict' },
  { scenario: 'accept-strict', release: 'stu3' },
  { scenario: 'accept-strict', release: 'dstu2' },
  { scenario: 'html-errors' },

  // odd data
  { scenario: 'broken-resource', failed: { Observation: 1 }, warnings: { Observation: /no resource/ } },
  { scenario: 'resource-without-id', failed: { Observation: 1 }, warnings: { Observation: /no id/ } },
  {
    scenario: 'long-decimals',
    rewritten: true,
    some: [
      /"value":0\.100000000000000000000000000001[,}]/,
      /"value":37\.500[,}]/,
      /"value":1\.20e-7[,}]/,
      /"value":12345678901234567890\.10[,}]/,
    ],
  },
  { scenario: 'entered-in-error', rewritten: true, some: [/"entered-in-error"/] },
  { scenario: 'repeated-entries' },
  { scenario: 'unknown-elements', rewritten: true, some: [/"vendorStuff":\{"a":\[1,2,\{"b":null\}\]\}/] },
  { scenario: 'byte-order-mark' },
  { scenario: 'bad-utf8', rewritten: true, some: [/\uFFFD/] },

  // addresses
  {
    scenario: 'redirect-inward',
    partial: ['Condition'],
    warnings: { Condition: /leads to another host/ },
    outcomes: { Condition: 'failed' },
  },
  {
    scenario: 'redirect-elsewhere',
    partial: ['Condition'],
    warnings: { Condition: /leads to another host/ },
    outcomes: { Condition: 'failed' },
  },
];
