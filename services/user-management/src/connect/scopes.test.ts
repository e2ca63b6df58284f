import { scopesToRequest } from './scopes';

describe('scopes', () => {
  const launch = 'launch/patient openid fhirUser offline_access';
  it('are a wildcard, in the syntax of the health system', () => {
    expect(scopesToRequest({ releases: ['r4'], form: 'wildcard' })).toBe(`${launch} patient/*.read`);
    expect(scopesToRequest({ releases: ['r4'], form: 'wildcard', supported: ['openid', 'patient/*.rs'] })).toBe(
      `${launch} patient/*.rs`,
    );
    expect(scopesToRequest({ releases: ['r4'], form: 'wildcard', supported: ['patient/*.rs', 'patient/*.read'] })).toBe(
      `${launch} patient/*.read`,
    );
    expect(scopesToRequest({ releases: ['r4'], form: 'wildcard', supported: ['openid', 'profile'] })).toBe(
      `${launch} patient/*.read`,
    );
  });

  it('are the announced types where no wildcard is announced', () => {
    expect(
      scopesToRequest({
        releases: ['r4'],
        form: 'wildcard',
        supported: ['patient/Patient.read', 'patient/Observation.rs', 'patient/Observation.write', 'user/Patient.read'],
      }),
    ).toBe(`${launch} patient/Patient.read patient/Observation.rs`);
  });

  it('are the registered ones if there are any', () => {
    expect(
      scopesToRequest({
        releases: ['r4'],
        form: 'per_type',
        supported: ['patient/*.rs'],
        registered: 'patient/Patient.read',
      }),
    ).toBe('patient/Patient.read');
  });

  it('are the types of the releases where the wildcard is rejected', () => {
    const dstu2 = scopesToRequest({ releases: ['dstu2'], form: 'per_type', supported: ['patient/*.read'] });
    expect(dstu2).toContain('patient/MedicationOrder.read');
    expect(dstu2).not.toContain('MedicationRequest');
    expect(dstu2).not.toContain('*');
  });
});
