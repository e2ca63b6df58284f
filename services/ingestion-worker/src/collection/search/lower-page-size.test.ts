import type { CollectionCheckpoint } from '../../checkpoints/checkpoint';
import { lowerPageSize } from './lower-page-size';
import { type Counts, emptyProgress } from '../../checkpoints/progress';
import { countFailedAttempt } from './search-state';
import { TypeFailed } from '../../health-system/type-failed';

const checkpointOf = (...remaining: string[]): CollectionCheckpoint => ({
  type: 'Observation',
  search: { remaining },
  progress: emptyProgress('Observation', 'full'),
});
const tooSlow = new TypeFailed('Observation', 'no_response', 'no answer', false, 0, undefined, true);
const counts = (fetched: number): Counts => ({
  fetched,
  stored: fetched,
  unchanged: 0,
  failed: 0,
});

it('requests smaller pages in each attempt after a time-out, until the type fails', () => {
  const checkpoint = checkpointOf('Observation?patient=p&_count=500');
  const sizes = Array.from({ length: 4 }, () => {
    const [url = ''] = checkpoint.search.remaining;
    countFailedAttempt(checkpoint, tooSlow);
    return new URLSearchParams(url.split('?')[1]).get('_count');
  });
  expect(sizes).toEqual(['500', '100', '50', '25']);
  expect(checkpoint.progress).toMatchObject({ done: true, outcome: 'failed' });
});

it('keeps the size when another failure is the cause', () => {
  const checkpoint = checkpointOf('Observation?patient=p&_count=500');
  countFailedAttempt(checkpoint, { ...tooSlow, code: 'server_error', isPageTooHeavy: false });
  expect(checkpoint.search.remaining).toEqual(['Observation?patient=p&_count=500']);
});

it('starts a search again whose later page is too slow in two attempts, and takes back its counts', () => {
  const checkpoint = checkpointOf('Observation?category=a&_count=100', 'Observation?category=b&_count=100');
  const { search, progress } = checkpoint;
  Object.assign(search, { page: 'https://fhir.example/page-7', countsAtStart: counts(3) });
  search.postponed = [{ search: 'Observation?category=c&_count=100', page: 'page-2', counts: counts(2) }];
  Object.assign(progress, counts(10));
  countFailedAttempt(checkpoint, tooSlow);
  expect(search).toMatchObject({ page: 'https://fhir.example/page-7', failedAttempts: 1 });
  countFailedAttempt(checkpoint, tooSlow);
  expect([search.page, search.loweredPageSize]).toEqual([undefined, 50]);
  expect(search.remaining).toEqual(['Observation?category=a&_count=50', 'Observation?category=b&_count=50']);
  expect(search.postponed).toEqual([{ search: 'Observation?category=c&_count=50', counts: counts(0) }]);
  expect(progress).toMatchObject({ fetched: 1, stored: 1 });
});

it('changes nothing below the smallest size, or of a read', () => {
  for (const url of ['Observation?patient=p&_count=25', 'Observation?patient=p', 'Patient/1']) {
    const checkpoint = checkpointOf(url);
    expect(lowerPageSize(checkpoint)).toBe(false);
    expect(checkpoint.search).toEqual({ remaining: [url] });
  }
});
