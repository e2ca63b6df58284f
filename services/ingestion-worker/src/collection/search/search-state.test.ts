import { type CollectionCheckpoint, isOpen } from '../../checkpoints/checkpoint';
import { emptyProgress, warn } from '../../checkpoints/progress';
import {
  countFailedAttempt,
  endSearch,
  failSearch,
  maxFailedAttemptsOfType,
  postponeSearch,
  startSearch,
} from './search-state';
import { TypeFailed } from '../../health-system/type-failed';

const checkpointOf = (...remaining: string[]): CollectionCheckpoint => ({
  type: 'Observation',
  search: { remaining },
  progress: emptyProgress('Observation', 'full'),
});
const failure = new TypeFailed('Observation', 'server_error', 'the health system responded with 500', false, 500);

describe('a failed search', () => {
  it('is repeated from its page after the others, with its own counts', () => {
    const checkpoint = checkpointOf('a', 'b');
    const { search, progress } = checkpoint;
    Object.assign(search, { page: 'page 2 of a', countsAtStart: { fetched: 0, stored: 0, unchanged: 0, failed: 0 } });
    Object.assign(progress, { fetched: 10, stored: 10 });
    expect(postponeSearch(checkpoint)).toBe(true);
    expect([startSearch(checkpoint), search.page]).toEqual(['b', undefined]);
    Object.assign(progress, { fetched: 15, stored: 15 });
    endSearch(checkpoint);
    expect(progress.done).toBe(false);
    expect([startSearch(checkpoint), search.page]).toEqual(['a', 'page 2 of a']);
    // A restart of the search removes what it has added itself.
    expect(search.countsAtStart).toEqual({ fetched: 5, stored: 5, unchanged: 0, failed: 0 });
  });

  it('keeps its position when it is the only one', () => {
    const checkpoint = checkpointOf('a');
    checkpoint.search.page = 'page 2 of a';
    expect(postponeSearch(checkpoint)).toBe(false);
    expect(checkpoint.search).toEqual({ remaining: ['a'], page: 'page 2 of a' });
  });

  it('leaves the type open for the others when it has failed for good', () => {
    const checkpoint = checkpointOf('a', 'b');
    failSearch(checkpoint, failure);
    expect([isOpen(checkpoint), checkpoint.search.remaining]).toEqual([true, ['b']]);
    endSearch(checkpoint);
    expect(checkpoint.progress).toMatchObject({ done: true, outcome: 'failed' });
  });
});

it('ends a type as failed after its last attempt only', () => {
  const checkpoint = checkpointOf('a', 'b');
  for (let attempt = 1; attempt < maxFailedAttemptsOfType; attempt++) countFailedAttempt(checkpoint, failure);
  expect(isOpen(checkpoint)).toBe(true);
  countFailedAttempt(checkpoint, failure);
  expect([isOpen(checkpoint), checkpoint.progress.outcome, checkpoint.search.isIncomplete]).toEqual([
    false,
    'failed',
    true,
  ]);
});

it('calls a type refused only if none of its searches was answered', () => {
  const outcomeOf = (answered: string | undefined): string => {
    const checkpoint = checkpointOf('a');
    if (answered) checkpoint.search.answered = answered;
    warn(checkpoint.progress, 'search_refused', 'the health system refused Observation with 403');
    endSearch(checkpoint);
    return checkpoint.progress.outcome;
  };
  expect([outcomeOf(undefined), outcomeOf('b')]).toEqual(['refused', 'partial']);
});

it('keeps a warning that decides the outcome, however many there are', () => {
  const checkpoint = checkpointOf('a');
  for (let index = 0; index < 50; index++) warn(checkpoint.progress, 'health_system_warning', `warning ${index}`);
  failSearch(checkpoint, failure);
  expect(checkpoint.progress.outcome).toBe('failed');
});

it.each([
  ['Condition?patient=1&_count=500', undefined],
  ['Condition?subject=Patient/1&_revinclude=Provenance:target', undefined],
  ['Condition?patient=1&_lastUpdated=ge2026-01-01', 'date'],
  ['Condition?patient=1&category=problem-list-item', 'part'],
  ['Condition?patient=1&category=problem-list-item&_lastUpdated=ge2026-01-01', 'part'],
  ['Condition?asserter=Patient/1', 'part'],
])('notes how %s is restricted', (url, restriction) => {
  const checkpoint = checkpointOf(url);
  endSearch(checkpoint);
  expect(checkpoint.search.restriction).toBe(restriction);
});
