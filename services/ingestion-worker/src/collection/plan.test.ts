import type { Capabilities } from './capabilities';
import { grantedTypes } from './granted-types';
import { planCollection } from './plan';

const capabilities = (searchable: Record<string, string[]>, software = 'Sandbox'): Capabilities => ({
  software,
  searchable: new Map(Object.entries(searchable).map(([type, names]) => [type, new Set(names)])),
});
const input = {
  release: 'r4',
  patientId: 'p 1',
  grantedScope: 'patient/*.read',
  capabilities: undefined,
  earlier: undefined,
} as const;

describe('planCollection', () => {
  it('plans every type that can be searched by patient, the patient first', () => {
    const plans = planCollection({
      ...input,
      capabilities: capabilities({
        Observation: ['patient', 'code'],
        Procedure: ['subject'],
        Practitioner: ['name'],
        Nonsense: ['patient'],
      }),
    });
    expect(plans).toEqual([
      { type: 'Patient', searches: ['Patient/p%201'] },
      { type: 'Observation', searches: ['Observation?patient=p+1&_count=500'] },
      { type: 'Procedure', searches: ['Procedure?subject=Patient%2Fp+1&_count=500'] },
    ]);
  });

  it('plans the whole compartment without a capability statement', () => {
    const types = planCollection({ ...input, release: 'dstu2' }).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['Patient', 'Observation', 'MedicationOrder', 'Immunization']));
    expect(types).not.toContain('Practitioner');
  });

  it('plans granted types only', () => {
    const plans = planCollection({
      ...input,
      grantedScope: 'patient/Observation.rs patient/Condition.read launch/patient',
    });
    expect(plans.map(({ type }) => type).sort()).toEqual(['Condition', 'Observation', 'Patient']);
  });

  it('adds _lastUpdated where the server supports it and the type is complete', () => {
    const earlier = {
      startedAt: new Date('2026-01-01T00:10:00Z'),
      completeTypes: new Set(['Observation', 'Condition']),
    };
    const plans = planCollection({
      ...input,
      earlier,
      capabilities: capabilities({
        Observation: ['patient', '_lastUpdated'],
        Condition: ['patient'],
        Goal: ['patient', '_lastUpdated'],
      }),
    });
    expect(plans[1]?.searches[0]).toContain('_lastUpdated=ge2026-01-01T00%3A00%3A00.000Z');
    expect(plans[2]?.searches[0]).not.toContain('_lastUpdated');
    expect(plans[3]?.searches[0]).not.toContain('_lastUpdated');
  });

  it('never searches for Binary', () => {
    expect(planCollection({ ...input, capabilities: capabilities({ Binary: ['patient'] }) })).toHaveLength(1);
  });

  it('adds the parameters that a vendor requires', () => {
    const plans = planCollection({
      ...input,
      capabilities: capabilities({ Observation: ['patient', 'category'] }, 'Epic'),
    });
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
  ])('%s limits nothing', (scope, expected) => {
    expect(grantedTypes(scope)).toBe(expected);
  });
  it('lists types', () => {
    expect(grantedTypes('patient/Observation.rs patient/Patient.read')).toEqual(new Set(['Observation', 'Patient']));
  });
});
