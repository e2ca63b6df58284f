import {
  type CollectionReport,
  type CollectionWarning,
  type TypeProgress,
  collectionWarningCode,
  isInformation,
  outcomeOfWarnings,
} from '@tributary/contracts';
import { informationOf, resultOf, warningsOf } from './last-result';

const gap: CollectionWarning = { code: 'attachment_too_large', message: 'an attachment has 80 MB' };
const unusual: CollectionWarning = { code: 'search_restarted', message: 'a search was begun again' };
const refusal: CollectionWarning = { code: 'search_refused', message: 'refused with 403' };

function ended(type: string, read: TypeProgress['read'], warnings: CollectionWarning[] = []): TypeProgress {
  const counts = { fetched: 0, stored: 0, unchanged: 0, failed: 0, created: 0, deleted: 0 };
  return { type, read, ...counts, done: true, outcome: outcomeOfWarnings(warnings), warnings };
}

const completed = (...types: TypeProgress[]): CollectionReport => ({ state: 'completed', types });
const first = resultOf(
  completed(
    ended('Patient', 'full'),
    ended('Observation', 'full', [gap, unusual]),
    ended('Binary', 'references', [gap]),
  ),
  null,
);

describe('the result of a collection', () => {
  it('is incomplete when a type has a gap, and complete otherwise', () => {
    expect(first).toMatchObject({ complete: false, typesTotal: 2 });
    expect(resultOf(completed(ended('Patient', 'full', [unusual])), null).complete).toBe(true);
    expect(resultOf({ state: 'failed', types: [ended('Patient', 'full')] }, null).complete).toBe(false);
  });

  it('keeps the gaps of what a later collection has not read again', () => {
    const next = resultOf(completed(ended('Patient', 'changes'), ended('Observation', 'changes')), first);
    expect(next.complete).toBe(false);
    expect(next.types).toEqual([
      { type: 'Patient', outcome: 'complete', warnings: [] },
      { type: 'Observation', outcome: 'partial', warnings: [gap] },
      { type: 'Binary', outcome: 'partial', warnings: [gap] },
    ]);
    const further = resultOf(completed(ended('Observation', 'changes', [gap, refusal])), next);
    expect(further.types[0]).toEqual({ type: 'Observation', outcome: 'refused', warnings: [gap, refusal] });
  });

  it('drops the gaps of a type that is read in full, and all of them when everything is', () => {
    const one = resultOf(completed(ended('Patient', 'changes'), ended('Observation', 'full')), first);
    expect(one.types.filter(({ warnings }) => warnings.length > 0).map(({ type }) => type)).toEqual(['Binary']);
    const all = completed(ended('Patient', 'full'), ended('Observation', 'full'), ended('Binary', 'references'));
    expect(resultOf(all, first)).toMatchObject({ complete: true, types: [{}, {}, { warnings: [] }] });
    expect(resultOf(completed(ended('Patient', 'full'), ended('Observation', 'full')), first).types).toHaveLength(2);
  });

  it('does not keep what was decided from the scopes', () => {
    const notGranted: CollectionWarning = { code: 'not_granted', message: 'access to Goal was not granted' };
    const notRequested: CollectionWarning = { code: 'not_requested', message: 'no scope for Goal is requested' };
    const earlier = resultOf(completed(ended('Goal', 'references', [notGranted])), null);
    expect(earlier.complete).toBe(false);
    const later = completed(ended('Patient', 'changes'), ended('Goal', 'references', [notRequested]));
    expect(resultOf(later, earlier)).toMatchObject({
      complete: true,
      types: [{ type: 'Patient' }, { type: 'Goal', outcome: 'not_offered', warnings: [notRequested] }],
    });
    expect(resultOf(completed(ended('Patient', 'changes')), earlier).types).toHaveLength(1);
  });

  it('keeps all gaps after a failure', () => {
    const open = { ...ended('Observation', 'full'), done: false, outcome: 'pending' as const };
    const failed = resultOf({ state: 'failed', types: [open] }, first);
    expect(failed).toMatchObject({
      complete: false,
      types: [
        { type: 'Observation', outcome: 'pending', warnings: [gap] },
        { type: 'Binary', outcome: 'partial', warnings: [gap] },
      ],
    });
    expect(resultOf({ state: 'failed', types: [] }, first).types.map(({ type }) => type)).toEqual([
      'Observation',
      'Binary',
    ]);
  });
});

it('knows since when a type has failed, through a failed collection, until each type is read', () => {
  const failure: CollectionWarning = { code: 'server_error', message: 'responded with 500 4 times' };
  const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute));
  const failing = completed(ended('Patient', 'full'), ended('Observation', 'full', [failure]));
  const one = resultOf(failing, first, at(1));
  const two = resultOf({ state: 'failed', types: [] }, one, at(2));
  const three = resultOf(failing, two, at(3));
  expect([one, two, three].map(({ failingSince }) => failingSince)).toEqual(Array(3).fill(at(1).toISOString()));
  const whole = resultOf(completed(ended('Patient', 'changes'), ended('Observation', 'full')), three, at(4));
  expect(whole).not.toHaveProperty('failingSince');
  expect(resultOf(failing, whole, at(5)).failingSince).toBe(at(5).toISOString());
});

describe('the warnings of a connection', () => {
  const warnings = collectionWarningCode.options.map((code) => ({ code, message: code }));
  const types = ['Condition', 'Observation', 'Procedure'].map((type) => ({ type, warnings }));

  it('are at most 50, the worst first', () => {
    const listed = warningsOf(types);
    expect(listed.warnings).toHaveLength(50);
    expect(listed.warnings_omitted).toBe(3 * warnings.filter((warning) => !isInformation(warning)).length - 50);
    const outcomes = listed.warnings.map((warning) => outcomeOfWarnings([warning]));
    expect(outcomes).toEqual([...outcomes].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
    expect(listed.warnings[0]).toMatchObject({ type: 'Condition', code: expect.any(String) });
  });

  it('are none of a complete collection, unless the Patient has changed', () => {
    const listed = (type: string, read: TypeProgress['read'], ...codes: CollectionWarning['code'][]): unknown => {
      const { complete, types: results } = resultOf(
        completed(
          ended(
            type,
            read,
            codes.map((code) => ({ code, message: code })),
          ),
        ),
        null,
      );
      return [complete, warningsOf(results).warnings.length, informationOf(results).map(({ code }) => code)];
    };
    const unusual = warnings.map(({ code }) => code).filter((code) => outcomeOfWarnings([{ code }]) === 'complete');
    expect(listed('Goal', 'full', 'not_offered')).toEqual([true, 0, ['not_offered']]);
    expect(listed('Patient', 'full', ...unusual)).toEqual([
      true,
      1,
      unusual.filter((code) => code !== 'patient_changed'),
    ]);
    expect(listed('Goal', 'full', 'search_refused', 'search_restarted')).toEqual([false, 1, ['search_restarted']]);
  });
});

const order = ['failed', 'refused', 'partial', 'complete'];
