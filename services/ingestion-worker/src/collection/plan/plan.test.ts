import type { Capabilities } from './capabilities';
import { grantedAccess } from './granted-types';
import { planCollection } from './plan';

const capabilities = (
  searchable: Record<string, string[]>,
  { software = 'Sandbox', including = [] }: { software?: string; including?: string[] } = {},
): Capabilities => ({
  software,
  searchable: new Map(Object.entries(searchable).map(([type, names]) => [type, new Set(names)])),
  readOnly: new Set(),
  includesProvenance: new Set(including),
  conditionalReads: new Set(),
});
const input = {
  fhirVersion: 'r4',
  patient_id: 'p 1',
  granted_scope: 'patient/*.read',
  consented_types: null,
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
      { type: 'Patient', searches: ['Patient/p%201'], warnings: [] },
      { type: 'Observation', searches: ['Observation?patient=p+1&_count=500'], warnings: [] },
      { type: 'Procedure', searches: ['Procedure?subject=Patient/p+1&_count=500'], warnings: [] },
    ]);
  });

  it('plans the whole compartment without a capability statement', () => {
    const types = planCollection({ ...input, fhirVersion: 'dstu2' }).map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(['Patient', 'Observation', 'MedicationOrder', 'Immunization']));
    expect(types).not.toContain('Practitioner');
  });

  it('plans granted types only', () => {
    const plans = planCollection({
      ...input,
      granted_scope: 'patient/Observation.rs patient/Condition.read launch/patient',
    });
    expect(plans.map(({ type }) => type).sort()).toEqual(['Condition', 'Observation', 'Patient']);
  });

  it('plans consented types only, whatever was granted', () => {
    const offered = capabilities(
      { Observation: ['patient'], Condition: ['patient'], Provenance: ['patient'] },
      { including: ['Observation', 'Patient'] },
    );
    const planned = (grantedScope: string, consentedTypes: string[]): Record<string, string[]> =>
      Object.fromEntries(
        planCollection({
          ...input,
          granted_scope: grantedScope,
          consented_types: consentedTypes,
          capabilities: offered,
        }).map(({ type, searches }) => [type, searches]),
      );
    for (const granted of ['patient/*.read', 'patient/*.rs patient/Condition.rs', 'openid'])
      expect(planned(granted, ['Observation', 'Patient'])).toEqual({
        Patient: ['Patient/p%201'],
        Observation: ['Observation?patient=p+1&_count=500'],
      });
    expect(Object.keys(planned('patient/Condition.rs', ['Observation', 'Patient']))).toEqual(['Patient']);
  });

  it('adds _lastUpdated where the server supports it and the type is complete', () => {
    const earlier = {
      startedAt: new Date('2026-01-02T00:00:00Z'),
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

  it('adds the parameters that a vendor requires, in one search, and reports what that leaves out', () => {
    const [, observation, request] = planCollection({
      ...input,
      capabilities: capabilities({ Observation: ['patient', 'category'] }, { software: 'Epic' }),
    }).concat(
      planCollection({
        ...input,
        capabilities: capabilities({ MedicationRequest: ['patient'] }, { software: 'athenahealth' }),
      }).slice(1),
    );
    expect(observation?.searches).toEqual([
      expect.stringMatching(/^Observation\?patient=p\+1&_count=500&category=vital-signs,laboratory,.*,sdoh,.*,lda,/),
    ]);
    expect(observation?.warnings).toEqual([{ code: 'limited_search', message: expect.stringContaining('category') }]);
    expect(request?.searches).toEqual([expect.stringContaining('&intent=filler-order,')]);
    expect(request?.warnings).toEqual([]);
  });

  it('tries the patient where no usable parameter of a type of the compartment is announced', () => {
    const plans = planCollection({ ...input, capabilities: capabilities({ Media: ['_id'], Organization: ['_id'] }) });
    expect(plans.slice(1)).toEqual([
      { type: 'Media', searches: ['Media?patient=p+1&_count=500'], warnings: [], isUnannounced: true },
    ]);
  });

  it('searches by patientId where that is announced', () => {
    const plans = planCollection({
      ...input,
      fhirVersion: 'dstu2',
      capabilities: capabilities({ Observation: ['patientId'] }),
    });
    expect(plans[1]?.searches).toEqual(['Observation?patientId=p+1&_count=500']);
  });

  it('includes Provenance where that is announced and granted', () => {
    const offered = capabilities(
      { Observation: ['patient'], Goal: ['patient'], Patient: ['_id'], Provenance: ['target'] },
      { including: ['Observation', 'Patient'] },
    );
    expect(planCollection({ ...input, capabilities: offered }).slice(1)).toEqual([
      {
        type: 'Observation',
        searches: ['Observation?patient=p+1&_count=500&_revinclude=Provenance%3Atarget'],
        warnings: [],
        includesProvenance: true,
      },
      { type: 'Goal', searches: ['Goal?patient=p+1&_count=500'], warnings: [] },
      { type: 'Provenance', searches: ['Patient?_id=p+1&_revinclude=Provenance%3Atarget'], warnings: [] },
    ]);
    const withoutProvenance = { ...input, capabilities: offered, granted_scope: 'patient/Observation.rs' };
    expect(planCollection(withoutProvenance)[1]?.searches).toEqual(['Observation?patient=p+1&_count=500']);
  });

  it('searches with the parameters of granular scopes', () => {
    const searchesOf = (grantedScope: string) => {
      const [, plan] = planCollection({
        ...input,
        granted_scope: grantedScope,
        capabilities: capabilities({ Observation: ['patient'] }),
      });
      return [plan?.searches, plan?.warnings.map(({ code }) => code)];
    };
    expect(searchesOf('patient/Observation.rs?category=s|laboratory patient/Observation.rs?category=s|exam')).toEqual([
      ['Observation?patient=p+1&_count=500&category=s%7Claboratory,s%7Cexam'],
      ['granted_in_part'],
    ]);
    expect(searchesOf('patient/Observation.rs?category=a patient/Observation.rs?code=b')).toEqual([
      ['Observation?patient=p+1&_count=500&category=a', 'Observation?patient=p+1&_count=500&code=b'],
      ['granted_in_part'],
    ]);
    expect(searchesOf('patient/Observation.rs?category=a patient/Observation.rs')).toEqual([
      ['Observation?patient=p+1&_count=500'],
      [],
    ]);
    expect(searchesOf('patient/Observation.s')).toEqual([['Observation?patient=p+1&_count=500'], []]);
    expect(searchesOf('patient/Observation.r')).toEqual([[], ['granted_in_part']]);
    expect(searchesOf('patient/Observation.c patient/Goal.rs')).toEqual([undefined, undefined]);
  });

  it('searches for the patient that may not be read', () => {
    expect(planCollection({ ...input, granted_scope: 'patient/Patient.s' })[0]?.searches).toEqual(['Patient?_id=p+1']);
  });
});

describe('grantedAccess', () => {
  it.each(['patient/*.read', 'patient/*.rs openid', 'openid fhirUser', 'patient/Observation.write patient/Patient.cu'])(
    '%s limits nothing',
    (scope) => {
      expect(grantedAccess(scope, null)('Condition')).toEqual({ read: true, search: true, parameters: [] });
    },
  );

  it('limits types', () => {
    const accessTo = grantedAccess('patient/Observation.rs patient/Patient.r', null);
    expect(accessTo('Observation')).toMatchObject({ read: true, search: true });
    expect(accessTo('Patient')).toMatchObject({ read: true, search: false });
    expect(accessTo('Condition')).toMatchObject({ read: false, search: false });
  });

  it('gives no access to a type that the user has not consented to', () => {
    const [none, all] = [
      { read: false, search: false },
      { read: true, search: true },
    ];
    for (const scope of ['patient/*.read', 'openid']) {
      const accessTo = grantedAccess(scope, ['Patient']);
      expect([accessTo('Patient'), accessTo('Practitioner'), accessTo('Binary')]).toMatchObject([all, none, none]);
    }
  });
});
