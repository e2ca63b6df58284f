import type { CollectionWarningCode } from '@tributary/contracts';
import type { CollectionCheckpoint, SearchState } from '../../checkpoints/checkpoint';
import { emptyProgress, finish, warn } from '../../checkpoints/progress';
import { hasReturnedAll } from '../reconcile/reconcile-deletions';
import { fullSearchOf } from './collection-outcome';

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
