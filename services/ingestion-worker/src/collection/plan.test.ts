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
  it('asks for what the server lets be searched by patient, the patient first', () => {
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

  it('takes the whole compartment when the server does not say', () => {
    const types = planCollection({ ...input, release: 'dstu2' }).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['Patient', 'Observation', 'MedicationOrder', 'Immunization']));
    expect(types).not.toContain('Practitioner');
  });

  it('asks only for granted types', () => {
    const plans = planCollection({
      ...input,
      grantedScope: 'patient/Observation.rs patient/Condition.read launch/patient',
    });
    expect(plans.map(({ type }) => type).sort()).toEqual(['Condition', 'Observation', 'Patient']);
  });

  it('asks for what is newer where the server can and the rest is there', () => {
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

  it('knows what a vendor wants', () => {
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
  ])('%s is no limit', (scope, expected) => {
    expect(grantedTypes(scope)).toBe(expected);
  });
  it('lists types', () => {
    expect(grantedTypes('patient/Observation.rs patient/Patient.read')).toEqual(new Set(['Observation', 'Patient']));
  });
});
