import { laterUsCoreTypes } from '../added-resources';
import { type Expectation, paged } from './expectation';

const circle: Partial<Expectation> = {
  warnings: { Observation: /its pages lead in a circle/ },
  outcomes: { Observation: 'failed' },
};
const strayLink: Partial<Expectation> = {
  warnings: { Observation: /its link to the next page is no address of this health system/ },
  outcomes: { Observation: 'failed', Patient: 'complete' },
};

/** Scenarios of pages: links to the next one, sizes, failures. */
export const pagingExpectations: Expectation[] = [
  { scenario: undefined, username: 'brief-102', complete: true },
  {
    scenario: undefined,
    username: 'brief-111',
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
  // Each happens once: no warning follows when that response is late, and the request is repeated.
  { scenario: 'next-expired', username: 'brief-131', status: '410' },
  { scenario: 'next-empty-once', username: 'brief-132', status: '204' },
  {
    scenario: 'next-empty',
    warnings: { Observation: /a page was empty; the search was restarted/ },
    outcomes: { Observation: 'failed', Patient: 'complete' },
    partial: paged,
  },
  { scenario: 'next-self', ...circle, partial: paged },
  { scenario: 'next-loop', ...circle, partial: paged },
  { scenario: 'next-endless', ...circle },
  { scenario: 'next-other-origin', ...strayLink, partial: paged },
  { scenario: 'next-private-host', ...strayLink, partial: paged },
  { scenario: 'start-index' },

  // total, size
  { scenario: 'total-absent' },
  { scenario: 'total-wrong' },
  { scenario: 'page-size-10' },
  { scenario: 'heavy-pages', rewritten: true },

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

  // a page fails
  {
    scenario: 'page-fails',
    partial: ['Observation'],
    warnings: { Observation: /responded with 500 4 times/ },
    outcomes: { Observation: 'failed', Condition: 'complete' },
  },
  { scenario: 'page-fails-once' },
  { scenario: 'page-cut-short' },

  // crash, restart
  { scenario: 'connection-closed' },
  { scenario: 'slow' },
];
