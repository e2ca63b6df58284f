import { coreTypes, parseResourceScope, requestedTypes } from '@tributary/contracts';
import fc from 'fast-check';
import { type ScopeChoice, scopeFallbacks, scopesToRequest } from './scopes';

const launch = 'launch/patient openid fhirUser offline_access';
const ofTypes = (interactions: string): string =>
  requestedTypes('r4')
    .map((type) => `patient/${type}.${interactions}`)
    .join(' ');
const scopes = (choice: Partial<ScopeChoice>): string[] =>
  scopesToRequest({ releases: ['r4'], ...choice }).map(({ scope }) => scope);
const granular = 'category=http://terminology.hl7.org/CodeSystem/observation-category|laboratory';

describe('the scopes to request', () => {
  it('are all four forms where nothing is announced, SMART 1 first, then fewer types, and no refresh token', () => {
    const expected = [
      `${launch} patient/*.read`,
      `${launch} ${ofTypes('read')}`,
      `${launch} patient/*.rs`,
      `${launch} ${ofTypes('rs')}`,
      `${launch} ${coreTypes('r4')
        .map((type) => `patient/${type}.read`)
        .join(' ')}`,
      'launch/patient openid fhirUser patient/*.read',
    ];
    expect(scopes({})).toEqual(expected);
    expect(scopes({ capabilities: ['permission-v1', 'permission-v2'] })).toEqual(expected);
  });

  it('begin with SMART 2 where only that is announced as a capability', () => {
    expect(scopes({ capabilities: ['permission-v2'] }).slice(0, 2)).toEqual([
      `${launch} patient/*.rs`,
      `${launch} ${ofTypes('rs')}`,
    ]);
  });

  it.each([
    ['patient/*.read', 'patient/*.read'],
    ['patient/*.*', 'patient/*.read'],
    ['patient/*.rs', 'patient/*.rs'],
    ['patient/*.cruds', 'patient/*.rs'],
    ['patient/*.r', 'patient/*.r'],
    ['patient/*.r patient/*.s', 'patient/*.r patient/*.s'],
    ['patient/*.r patient/*.rs', 'patient/*.rs'],
    ['patient/*.rs patient/*.read', 'patient/*.read'],
    ['patient/*.rs patient/Observation.read', 'patient/*.rs'],
    ['patient/*.write user/*.rs', 'patient/*.read'],
  ])('begin with the wildcard of "%s", limited to read access', (supported, expected) => {
    expect(scopes({ supported: supported.split(' ') })[0]).toBe(`${launch} ${expected}`);
  });

  it('continue with what is announced, word for word, where that is more than read access', () => {
    expect(scopes({ supported: ['patient/*.cruds', 'patient/Observation.cruds'] })).toEqual([
      `${launch} patient/*.rs`,
      `${launch} patient/Observation.rs`,
      `${launch} patient/*.cruds patient/Observation.cruds`,
      `${launch} patient/Observation.read`,
      `${launch.replace(' offline_access', '')} patient/*.rs`,
    ]);
  });

  it('are the announced types where no wildcard is announced, then those types in the other syntax', () => {
    expect(
      scopes({ supported: ['patient/Patient.read', 'patient/Goal.rs', 'patient/Goal.cud', 'user/Device.read'] }),
    ).toEqual([
      `${launch} patient/Patient.read patient/Goal.rs`,
      `${launch} patient/Goal.rs patient/Patient.rs`,
      'launch/patient openid fhirUser patient/Patient.read patient/Goal.rs',
    ]);
  });

  it('name a type in one syntax where both are announced', () => {
    expect(scopes({ supported: ['patient/Patient.rs', 'patient/Patient.read'] })[0]).toBe(
      `${launch} patient/Patient.read`,
    );
  });

  it('contain granular scopes as announced, beside the plain ones', () => {
    const supported = [
      'patient/Patient.rs',
      `patient/Observation.rs?${granular}`,
      'patient/Observation.rs?category=other',
    ];
    expect(scopes({ supported })[0]).toBe([launch, ...supported].join(' '));
  });

  it.each([
    [['openid', 'fhirUser', 'launch/patient'], 'launch/patient openid fhirUser'],
    [['openid', 'profile', 'launch/patient', 'online_access'], 'launch/patient openid profile online_access'],
    [['openid', 'fhirUser'], 'launch/patient openid fhirUser'],
    [['patient/*.rs'], launch],
    [['launch', 'patient/*.rs'], launch],
  ])('contain the launch scopes of %j, and launch/patient', (supported, expected) => {
    expect(scopes({ supported: [...supported, 'patient/*.rs'] })[0]).toBe(`${expected} patient/*.rs`);
  });

  it('contain the launch scopes that capabilities imply, until they are refused', () => {
    expect(
      scopes({
        supported: ['fhirUser', 'patient/*.rs', 'online_access'],
        capabilities: ['context-standalone-patient', 'sso-openid-connect', 'permission-offline', 'permission-v2'],
      }).slice(0, 2),
    ).toEqual([`${launch} patient/*.rs`, 'fhirUser online_access patient/*.rs']);
  });

  it('begin with the step that was accepted before', () => {
    const steps = scopesToRequest({ releases: ['r4'], accepted: 'types_other_syntax' });
    expect(steps.map(({ step }) => step)).toEqual([
      'types_other_syntax',
      'wildcard',
      'types',
      'wildcard_other_syntax',
      'core_types',
      'without_offline_access',
    ]);
    expect(scopes({ accepted: 'without_offline_access' })[0]).toBe('launch/patient openid fhirUser patient/*.read');
    expect(
      scopes({
        supported: ['fhirUser', 'patient/*.rs'],
        capabilities: ['permission-offline'],
        accepted: 'wildcard',
      })[0],
    ).toBe('fhirUser patient/*.rs');
  });

  it('are the registered ones alone if there are any', () => {
    expect(scopes({ supported: ['patient/*.rs'], registered: 'patient/Patient.read', accepted: 'types' })).toEqual([
      'patient/Patient.read',
    ]);
  });

  it('name the types of the releases', () => {
    const [, dstu2 = ''] = scopes({ releases: ['dstu2'] });
    expect(dstu2).toContain('patient/MedicationOrder.read');
    expect(dstu2).not.toContain('MedicationRequest');
    expect(scopes({ releases: ['dstu2', 'r4'] })[1]).toMatch(/MedicationOrder.read.*MedicationRequest.read/);
  });
});

describe('the scopes to request for the types that a client asks for', () => {
  const types = ['Condition', 'Observation', 'Patient'];
  const narrowed = (choice: Partial<ScopeChoice> = {}): string[] => scopes({ types, ...choice });

  it('are no wildcards where nothing is announced', () => {
    const each = (interactions: string): string => types.map((type) => `patient/${type}.${interactions}`).join(' ');
    expect(narrowed()).toEqual([
      `${launch} ${each('read')}`,
      `${launch} ${each('rs')}`,
      `launch/patient openid fhirUser ${each('read')}`,
    ]);
  });

  it('are the types where only a wildcard is announced', () => {
    expect(narrowed({ supported: ['launch/patient', 'patient/*.rs'] })[0]).toBe(
      'launch/patient patient/Condition.rs patient/Observation.rs patient/Patient.rs',
    );
  });

  it('are the announced ones of these types, granular ones as announced', () => {
    const supported = [`patient/Observation.rs?${granular}`, 'patient/Patient.rs', 'patient/Goal.rs', 'user/*.rs'];
    expect(narrowed({ supported })[0]).toBe(`${launch} patient/Observation.rs?${granular} patient/Patient.rs`);
    expect(narrowed({ supported: ['patient/*.rs', `patient/Observation.rs?${granular}`] })[0]).toBe(
      `${launch} patient/Condition.rs patient/Observation.rs?${granular} patient/Patient.rs`,
    );
  });

  it('name the types also where none of them is announced', () => {
    expect(narrowed({ supported: ['patient/Goal.rs'] })[0]).toBe(
      `${launch} patient/Condition.rs patient/Observation.rs patient/Patient.rs`,
    );
  });

  it('are those of the releases', () => {
    const medications = ['MedicationOrder', 'MedicationRequest', 'Basic'];
    const of = (release: 'dstu2' | 'r4'): string | undefined => scopes({ types: medications, releases: [release] })[0];
    expect([of('dstu2'), of('r4')]).toEqual([
      `${launch} patient/Basic.read patient/MedicationOrder.read`,
      `${launch} patient/Basic.read patient/MedicationRequest.read`,
    ]);
  });

  it('have no refresh token where the access is for one collection', () => {
    const once = (choice: Partial<ScopeChoice> = {}): string[] => scopes({ isAccessOnce: true, ...choice });
    const supported = ['launch/patient', 'openid', 'online_access', 'offline_access', 'patient/*.rs'];
    const all = [...once(), ...once({ supported, capabilities: ['permission-offline'] }), ...once({ types })];
    expect(all.filter((scope) => /(on|off)line_access/.test(scope))).toEqual([]);
    expect(once()[0]).toBe('launch/patient openid fhirUser patient/*.read');
    expect(once({ registered: 'openid offline_access patient/*.read' })).toEqual(['openid patient/*.read']);
  });

  it.each([
    [
      'launch/patient patient/*.read',
      'launch/patient patient/Condition.read patient/Observation.read patient/Patient.read',
    ],
    ['launch/patient patient/Patient.read patient/Goal.read', 'launch/patient patient/Patient.read'],
    ['openid user/*.rs?a=b', 'openid user/Condition.rs?a=b user/Observation.rs?a=b user/Patient.rs?a=b'],
  ])('narrow the registered scopes %s', (registered, expected) => {
    expect(narrowed({ registered })).toEqual([expected]);
  });
});

describe('the scopes to request, whatever is announced,', () => {
  const announcement = fc.record({
    supported: fc.option(
      fc.array(
        fc.oneof(
          fc.constantFrom('openid', 'fhirUser', 'profile', 'launch/patient', 'offline_access', 'online_access', ''),
          fc
            .tuple(
              fc.constantFrom('*', 'Patient', 'Observation'),
              fc.constantFrom('read', 'write', '*', 'r', 's', 'rs', 'cruds', 'cud'),
              fc.constantFrom('', `?${granular}`),
            )
            .map(([type, interactions, query]) => `patient/${type}.${interactions}${query}`),
        ),
        { maxLength: 8 },
      ),
      { nil: undefined },
    ),
    capabilities: fc.option(fc.subarray(['permission-v1', 'permission-v2', 'permission-offline']), { nil: undefined }),
    accepted: fc.constantFrom(undefined, 'registered' as const, ...scopeFallbacks),
  });

  it('end with a step that has no refresh token, however many steps come before', () => {
    const steps = scopesToRequest({
      releases: ['r4'],
      supported: ['openid', 'fhirUser', 'offline_access'],
      capabilities: ['permission-offline', 'sso-openid-connect'],
    });
    expect(steps.at(-1)?.step).toBe('without_offline_access');
    expect(steps).toHaveLength(7);
  });

  it('are one to seven, all different, each with read access', () => {
    fc.assert(
      fc.property(announcement, (announced) => {
        const steps = scopesToRequest({ releases: ['r4'], ...announced });
        expect(steps.length).toBeGreaterThanOrEqual(1);
        expect(steps.length).toBeLessThanOrEqual(7);
        expect(new Set(steps.map(({ scope }) => scope)).size).toBe(steps.length);
        for (const { scope } of steps) {
          const values = scope.split(' ');
          expect(new Set(values).size).toBe(values.length);
          expect(values.some((value) => parseResourceScope(value)?.read || parseResourceScope(value)?.search)).toBe(
            true,
          );
        }
      }),
    );
  });

  it('are for no other types than the client asks for', () => {
    fc.assert(
      fc.property(
        announcement,
        fc.subarray(['Patient', 'Goal', 'Observation'], { minLength: 1 }),
        (announced, types) => {
          const steps = scopesToRequest({ releases: ['r4'], types, ...announced });
          expect(steps.length).toBeGreaterThanOrEqual(1);
          for (const { scope } of steps) {
            const requested = scope.split(' ').flatMap((value) => parseResourceScope(value)?.type ?? []);
            expect(requested.length).toBeGreaterThan(0);
            expect(requested.filter((type) => !types.includes(type))).toEqual([]);
          }
        },
      ),
    );
  });

  it('ask for more than read access only where it is announced, and only after a refusal', () => {
    const isMore = (value: string): boolean =>
      /\.(\*|write|.*[cud])/.test(value.split('?')[0] ?? '') && !/\.read/.test(value);
    fc.assert(
      fc.property(announcement, ({ supported, capabilities }) => {
        const [first, ...others] = scopesToRequest({ releases: ['r4'], supported, capabilities });
        expect(first?.scope.split(' ').filter(isMore)).toEqual([]);
        for (const { scope } of others)
          for (const value of scope.split(' ').filter(isMore)) expect(supported).toContain(value);
      }),
    );
  });
});
