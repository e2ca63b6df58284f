import type { CollectionWarningCode } from '@tributary/contracts';
import type { CollectionCheckpoint } from '../../checkpoints/checkpoint';
import { emptyProgress, finish, warn } from '../../checkpoints/progress';
import { TypeFailed } from '../../health-system/type-failed';
import { describeFailures, missingPatient } from './collection-outcome';

function ended(type: string, warning?: CollectionWarningCode): CollectionCheckpoint {
  const progress = emptyProgress(type, 'full');
  if (warning) warn(progress, warning, `${type}: ${warning}`);
  finish(progress);
  return { type, search: { remaining: [], ...(warning ? {} : { answered: `${type}?patient=1` }) }, progress };
}

describe('a patient who cannot be read', () => {
  it.each([
    ['search_refused', true, undefined],
    ['patient_not_found', true, undefined],
    ['address_forbidden', true, undefined],
    ['search_refused', false, 'patient_refused'],
    ['patient_not_found', false, undefined],
    ['address_forbidden', false, 'address_forbidden'],
  ] as const)('with the warning %s, while searches are answered: %s', (warning, isAnswered, expected) => {
    const patient = ended('Patient', warning);
    const other = ended('Observation', isAnswered ? undefined : 'search_refused');
    expect(missingPatient(patient, [patient, other])?.code).toBe(expected);
  });
});

describe('describeFailures', () => {
  it('names each reason once, with all its types', () => {
    const failures = [
      new TypeFailed('Encounter', 'paging_failed', 'its pages lead in a circle', true),
      new TypeFailed('Condition', 'server_error', 'the health system responded with 500 4 times', false, 500),
      new TypeFailed('Observation', 'paging_failed', 'its pages lead in a circle', true),
      new TypeFailed('Observation', 'paging_failed', 'its pages lead in a circle', true),
    ];
    expect(describeFailures(failures)).toBe(
      'Encounter, Observation: its pages lead in a circle; Condition: the health system responded with 500 4 times',
    );
  });

  it('is empty without failures', () => {
    expect(describeFailures([])).toBe('');
  });
});
