import type { CollectionWarningCode } from '@tributary/contracts';
import type { CollectionCheckpoint, SearchState } from '../checkpoints/checkpoint';
import { emptyProgress, finish, warn } from './progress';
import { fullSearchOf, hasReturnedAll, incrementalTypes, noteRestriction, planVerification } from './verification';

function collected(search: Partial<SearchState>, ...codes: CollectionWarningCode[]): CollectionCheckpoint {
  const progress = emptyProgress('Condition', 'full');
  for (const code of codes) warn(progress, code, code);
  finish(progress);
  const verification = { isDue: true, isReferred: false, reads: 0, isDone: false };
  return { type: 'Condition', search: { remaining: [], verification, ...search }, progress };
}

describe('the searches of a type have returned everything', () => {
  it('when nothing restricted them', () => {
    expect(hasReturnedAll(collected({}))).toBe(true);
    expect(hasReturnedAll(collected({}, 'page_size_refused', 'search_restarted'))).toBe(true);
  });

  it.each([
    'limited_search',
    'granted_in_part',
    'search_partly_refused',
    'health_system_warning',
    'resource_not_stored',
    'server_error',
  ] as const)('not with the warning %s', (code) => {
    expect(hasReturnedAll(collected({}, code))).toBe(false);
  });

  it('not when one was refused, or restricted', () => {
    expect(hasReturnedAll(collected({ isIncomplete: true }))).toBe(false);
    expect(hasReturnedAll(collected({ restriction: 'date' }))).toBe(false);
    expect(hasReturnedAll(collected({ restriction: 'part' }))).toBe(false);
    expect(hasReturnedAll({ ...collected({}), progress: emptyProgress('Condition', 'full') })).toBe(false);
  });
});

it.each([
  ['Condition?patient=1&_count=500', undefined],
  ['Condition?subject=Patient/1&_revinclude=Provenance:target', undefined],
  ['Condition?patient=1&_lastUpdated=ge2026-01-01', 'date'],
  ['Condition?patient=1&category=problem-list-item', 'part'],
  ['Condition?patient=1&category=problem-list-item&_lastUpdated=ge2026-01-01', 'part'],
  ['Condition?asserter=Patient/1', 'part'],
])('notes how %s is restricted', (url, restriction) => {
  const search: SearchState = { remaining: [] };
  noteRestriction(search, url);
  expect(search.restriction).toBe(restriction);
});

it('requests everything of a type that is due, or was never searched in full', () => {
  const earlier = {
    startedAt: new Date(),
    isRereadDue: false,
    completeTypes: new Set(['Condition', 'Observation', 'Procedure']),
    fullSearches: new Map([
      ['Condition', { isDue: false, verifiedTo: undefined }],
      ['Observation', { isDue: true, verifiedTo: undefined }],
      ['Encounter', { isDue: false, verifiedTo: undefined }],
    ]),
  };
  expect([...incrementalTypes(earlier)]).toEqual(['Condition']);
  expect([...incrementalTypes({ ...earlier, isRereadDue: true })]).toEqual([]);
});

it('reads referred types again that are due, but none of the compartment of the patient', () => {
  const due = { isDue: true, verifiedTo: 'an id' };
  const planned = [collected({ remaining: ['Condition?patient=p'] }), { ...collected({}), type: 'Patient' }];
  const fullSearches = new Map([
    ['Condition', due],
    ['Patient', due],
    ['Provenance', due],
    ['Practitioner', due],
    ['Binary', due],
    ['Organization', { ...due, isDue: false }],
  ]);
  const earlier = { startedAt: new Date(), completeTypes: new Set<string>(), isRereadDue: false, fullSearches };
  const verifications = planVerification(planned, 'r4', earlier, new Set(['Binary'])).slice(2);
  expect(verifications.map(({ type, search }) => [type, search.verification])).toEqual([
    [
      'Practitioner',
      { isDue: true, isReferred: true, isConditional: false, after: 'an id', from: 'an id', reads: 0, isDone: false },
    ],
    [
      'Binary',
      { isDue: true, isReferred: true, isConditional: true, after: 'an id', from: 'an id', reads: 0, isDone: false },
    ],
  ]);
});

it('leaves a type due whose verification has not ended', () => {
  const verification = { isDue: true, isReferred: false, reads: 500, isDone: false, after: 'an id' };
  expect(fullSearchOf(collected({ verification }))).toMatchObject({ isVerified: false, verifiedTo: 'an id' });
  expect(fullSearchOf(collected({ verification: { ...verification, isDone: true } }))).toMatchObject({
    isVerified: true,
  });
  // It will not be possible next time either.
  expect(fullSearchOf(collected({ verification, restriction: 'part' }))).toMatchObject({ isVerified: true });
  expect(fullSearchOf(collected({ verification, restriction: 'date' }))).toMatchObject({ isFull: false });
});
