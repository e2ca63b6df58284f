import { coreTypes, requestedTypes } from '@tributary/contracts';
import { isResourceType } from '@tributary/fhir-definitions';
import type { Capabilities } from './capabilities';
import { unsearchedTypes } from './unsearched-types';

const capabilities: Capabilities = {
  software: 'Sandbox',
  searchable: new Map([
    ['Goal', new Set(['code'])],
    ['Invoice', new Set(['patient'])],
    ['ValueSet', new Set(['url'])],
  ]),
  readOnly: new Set(['Encounter']),
  includesProvenance: new Set(),
  conditionalReads: new Set(),
};
const all = 'launch/patient patient/*.read';
const outcomes = (
  requestedScope: string,
  grantedScope: string,
  consentedTypes: string[] | null = null,
): Record<string, string | undefined> =>
  Object.fromEntries(
    unsearchedTypes({
      fhirVersion: 'r4',
      requested_scope: requestedScope,
      granted_scope: grantedScope,
      consented_types: consentedTypes,
      capabilities,
      searched: new Set(['Patient', 'Observation']),
    }).map(({ type, warning }) => [type, warning?.code]),
  );

describe('unsearchedTypes', () => {
  it('names each clinical type that is not searched, once, with the reason', () => {
    expect(outcomes(all, all)).toMatchObject({
      Condition: 'not_offered',
      Encounter: 'read_only',
      Goal: 'no_patient_search',
      Practitioner: undefined,
      Binary: undefined,
    });
    expect(Object.keys(outcomes(all, all))).not.toContain('Observation');
  });

  it('names the types that the user has not consented to as not requested, whatever was requested', () => {
    for (const scope of [all, 'launch/patient'])
      expect(outcomes(scope, scope, ['Patient', 'Observation', 'Goal'])).toMatchObject({
        Condition: 'not_requested',
        Practitioner: 'not_requested',
        Binary: 'not_requested',
        Goal: 'no_patient_search',
      });
  });

  it('distinguishes types that were not granted from types that were not requested', () => {
    expect(outcomes(all, 'patient/Observation.rs patient/Goal.rs')).toMatchObject({
      Condition: 'not_offered',
      Encounter: 'not_granted',
      Goal: 'no_patient_search',
      Practitioner: 'not_granted',
    });
    expect(outcomes('patient/Encounter.rs patient/Observation.rs', 'patient/Observation.rs')).toMatchObject({
      Encounter: 'not_granted',
      Goal: 'not_requested',
      Practitioner: 'not_requested',
    });
  });

  it('names offered types of the compartment that are not among the clinical types', () => {
    expect(outcomes(all, 'patient/Observation.rs')).toMatchObject({ Invoice: 'not_granted' });
    expect(outcomes('patient/Observation.rs', 'patient/Observation.rs')).toMatchObject({
      Invoice: 'not_requested',
    });
    expect(Object.keys(outcomes(all, 'patient/Observation.rs'))).not.toContain('ValueSet');
  });

  it('takes scopes that name no resource for unlimited', () => {
    expect(outcomes('openid fhirUser', 'openid fhirUser')).toMatchObject({ Condition: 'not_offered' });
  });
});

it.each(['dstu2', 'stu3', 'r4'] as const)('the requested types exist in %s, each once', (release) => {
  const types = requestedTypes(release);
  expect(types.filter((type) => !isResourceType(release, type))).toEqual([]);
  expect(new Set(types).size).toBe(types.length);
  expect(types).toEqual(expect.arrayContaining(coreTypes(release)));
});
