import type { CollectionWarningCode } from '@tributary/contracts';
import type { CollectionCheckpoint } from '../checkpoints/checkpoint';
import { missingPatient } from './collection-outcome';
import { emptyProgress, finish, warn } from './progress';

function ended(type: string, fetched: number, warning?: CollectionWarningCode): CollectionCheckpoint {
  const progress = { ...emptyProgress(type, 'full'), fetched };
  if (warning) warn(progress, warning, `${type}: ${warning}`);
  finish(progress);
  return { type, search: { remaining: [], ...(warning ? {} : { answered: `${type}?patient=1` }) }, progress };
}

describe('missingPatient', () => {
  it.each([
    ['is a gap while the searches find nothing', 'patient_not_found', 0, undefined],
    ['is an error when the searches find something', 'patient_not_found', 3, 'patient_refused'],
  ] as const)('of a patient that is not found %s', (_name, warning, fetched, expected) => {
    const patient = ended('Patient', 0, warning);
    expect(missingPatient(patient, [patient, ended('Observation', fetched)])?.code).toBe(expected);
  });

  it('of a refused patient is an error, whatever the searches find', () => {
    const patient = ended('Patient', 0, 'search_refused');
    expect(missingPatient(patient, [patient, ended('Observation', 0)])?.code).toBe('patient_refused');
  });
});
