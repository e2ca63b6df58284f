import type { Capabilities } from './capabilities';
import { grantedTypes } from './granted-types';
import { planCollection, variantsOf } from './plan';

const capabilities = (searchable: Record<string, string[]>, software = 'Sandbox'): Capabilities => ({ software, searchable: new Map(Object.entries(searchable).map(([type, names]) => [type, new Set(names)])), readable: new Set() });
const input = { release: 'r4', patientId: 'p 1', grantedScope: 'patient/*.read', capabilities: undefined, since: undefined } as const;

describe('planCollection', () => {
  it('asks for what the server lets be searched by patient, the patient first', () => {
    const plans = planCollection({ ...input, capabilities: capabilities({ Observation: ['patient', 'code'], Procedure: ['subject'], Practitioner: ['name'], Nonsense: ['patient'] }) });
    expect(plans).toEqual([
      { type: 'Patient', searches: ['Patient/p%201'] },
      { type: 'Observation', searches: ['Observation?patient=p+1&_count=100'] },
      { type: 'Procedure', searches: ['Procedure?subject=Patient%2Fp+1&_count=100'] },
    ]);
  });

  it('takes the whole compartment when the server does not say', () => {
    const types = planCollection({ ...input, release: 'dstu2' }).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['Patient', 'Observation', 'MedicationOrder', 'Immunization']));
    expect(types).not.toContain('Practitioner');
  });

  it('asks only for granted types', () => {
    const plans = planCollection({ ...input, grantedScope: 'patient/Observation.rs patient/Condition.read launch/patient' });
    expect(plans.map(({ type }) => type).sort()).toEqual(['Condition', 'Observation', 'Patient']);
  });

  it('asks for what is newer where the server can', () => {
    const plans = planCollection({ ...input, since: '2026-01-01T00:00:00.000Z', capabilities: capabilities({ Observation: ['patient', '_lastUpdated'], Condition: ['patient'] }) });
    expect(plans[1]?.searches[0]).toContain('_lastUpdated=gt2026');
    expect(plans[2]?.searches[0]).not.toContain('_lastUpdated');
  });

  it('knows what a vendor wants', () => {
    const plans = planCollection({ ...input, capabilities: capabilities({ Observation: ['patient', 'category'] }, 'Epic') });
    expect(plans[1]?.searches.length).toBeGreaterThan(5);
    expect(plans[1]?.searches[0]).toContain('category=vital-signs');
  });
});

describe('grantedTypes', () => {
  it.each([
    ['patient/*.read', undefined],
    ['patient/*.rs openid', undefined],
    ['openid fhirUser', undefined],
    ['patient/Observation.write patient/Patient.cu', undefined],
  ])('%s is no limit', (scope, expected) => {
    expect(grantedTypes(scope)).toBe(expected);
  });
  it('lists types', () => {
    expect(grantedTypes('patient/Observation.rs patient/Patient.read')).toEqual(new Set(['Observation', 'Patient']));
  });
});

describe('variantsOf', () => {
  it('adds to the query', () => {
    expect(variantsOf('Observation?patient=1', [{ category: 'a' }, { category: 'b' }])).toEqual(['Observation?patient=1&category=a', 'Observation?patient=1&category=b']);
  });
});
