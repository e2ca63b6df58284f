import type { ResourceOutcome } from '@tributary/contracts';
import type { CollectionCheckpoint } from '../../checkpoints/checkpoint';
import { noteCreated, noteEndedAttempt } from './created-resources';
import { emptyProgress } from '../../checkpoints/progress';

const stored = (id: number, at: number): ResourceOutcome => ({
  outcome: 'stored',
  type: 'Observation',
  id: `o${id}`,
  version: 1,
  last_updated: at,
  created: true,
});
const unchanged = (id: number, at: number, version = 1): ResourceOutcome => {
  const { created: _, ...outcome } = stored(id, at);
  return { ...outcome, outcome: 'unchanged', version };
};

/** The checkpoint as PostgreSQL keeps it: what an attempt notes after it is lost when the process is killed. */
let saved: string;

beforeEach(() => {
  const search = { remaining: ['Observation?patient=p1'], createdUntil: 1000 };
  saved = JSON.stringify({ type: 'Observation', search, progress: emptyProgress('Observation', 'full') });
});

/** Stores a page and counts its creations. `isKilled`: before the checkpoint is saved. */
function page(outcomes: ResourceOutcome[], now: number, { isKilled = false } = {}): number {
  const checkpoint = JSON.parse(saved) as CollectionCheckpoint;
  noteCreated(checkpoint, outcomes, now);
  if (!isKilled) saved = JSON.stringify(checkpoint);
  return outcomes.filter(({ created }) => created).length;
}

function nextAttempt(now: number): void {
  const checkpoint = JSON.parse(saved) as CollectionCheckpoint;
  noteEndedAttempt([checkpoint], now);
  saved = JSON.stringify(checkpoint);
}

it('counts a page that was stored before a kill when it is stored again', () => {
  expect(page([stored(1, 1100)], 1100)).toBe(1);
  page([stored(2, 1200), stored(3, 1200)], 1200, { isKilled: true });
  nextAttempt(1300);
  expect(page([unchanged(2, 1200), unchanged(3, 1200)], 1400)).toBe(2);
});

it('counts it when the search began anew, and an earlier page was stored first', () => {
  expect(page([stored(1, 1100)], 1100)).toBe(1);
  page([stored(2, 1200), stored(3, 1200)], 1200, { isKilled: true });
  nextAttempt(1300);
  expect(page([unchanged(1, 1100), stored(4, 1400)], 1400)).toBe(1);
  expect(page([unchanged(2, 1200), unchanged(3, 1200)], 1500)).toBe(2);
});

it('counts each resource once, however often the search begins anew and the process is killed', () => {
  expect(page([stored(1, 1100)], 1100)).toBe(1);
  page([stored(2, 1200)], 1200, { isKilled: true });
  nextAttempt(1300);
  expect(page([unchanged(1, 1100), stored(4, 1400)], 1400)).toBe(1);
  page([unchanged(2, 1200), stored(5, 1500)], 1500, { isKilled: true });
  nextAttempt(1600);
  nextAttempt(1650);
  expect(page([unchanged(1, 1100), unchanged(4, 1400)], 1700)).toBe(0);
  expect(page([unchanged(2, 1200), unchanged(5, 1500)], 1800)).toBe(2);
  expect(page([unchanged(2, 1200), unchanged(5, 1500), unchanged(4, 1400)], 1900)).toBe(0);
});

it('counts all batches of a page that was stored before a kill', () => {
  page([stored(1, 1100)], 1100, { isKilled: true });
  page([stored(2, 1110)], 1110, { isKilled: true });
  nextAttempt(1300);
  expect(page([unchanged(1, 1100)], 1400)).toBe(1);
  expect(page([unchanged(2, 1110)], 1410)).toBe(1);
});

it('counts a page whose response was lost when it is stored again', () => {
  expect(page([unchanged(1, 1100)], 1200)).toBe(1);
});

it('does not count what an earlier collection has created, later versions, and other types', () => {
  nextAttempt(1300);
  const ofPatient = { ...unchanged(3, 1200), type: 'Patient' };
  expect(page([unchanged(1, 900), unchanged(2, 1200, 2), ofPatient], 1400)).toBe(0);
});
