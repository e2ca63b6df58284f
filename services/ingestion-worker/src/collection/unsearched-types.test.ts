import type { Capabilities } from './capabilities';
import { unsearchedTypes } from './unsearched-types';

const capabilities: Capabilities = {
  software: 'Sandbox',
  searchable: new Map([['Goal', new Set(['code'])]]),
  includesProvenance: new Set(),
  conditionalReads: new Set(),
};
const all = 'launch/patient patient/*.read';
const outcomes = (requestedScope: string, grantedScope: string): Record<string, string | undefined> =>
  Object.fromEntries(
    unsearchedTypes({
      release: 'r4',
      requestedScope,
      grantedScope,
      capabilities,
      searched: new Set(['Patient', 'Observation']),
    }).map(({ type, warning }) => [type, warning?.code]),
  );

describe('unsearchedTypes', () => {
  it('names each clinical type that is not searched, once, with the reason', () => {
    expect(outcomes(all, all)).toMatchObject({
      Condition: 'not_offered',
      Goal: 'no_patient_search',
      Practitioner: undefined,
      Binary: undefined,
    });
    expect(Object.keys(outcomes(all, all))).not.toContain('Observation');
  });

  it('tells what was not granted from what was not requested', () => {
    expect(outcomes(all, 'patient/Observation.rs patient/Goal.rs')).toMatchObject({
      Condition: 'not_granted',
      Goal: 'no_patient_search',
      Practitioner: 'not_granted',
    });
    expect(outcomes('patient/Condition.rs patient/Observation.rs', 'patient/Observation.rs')).toMatchObject({
      Condition: 'not_granted',
      Goal: 'not_requested',
      Practitioner: 'not_requested',
    });
  });

  it('takes scopes that name no resource for unlimited', () => {
    expect(outcomes('openid fhirUser', 'openid fhirUser')).toMatchObject({ Condition: 'not_offered' });
  });
});
