import fc from 'fast-check';
import { accessToType, parseResourceScope, resourceScopesOf } from './smart-scopes';

const access = (scope: string, type = 'Observation'): { read: boolean; search: boolean; parameters: string[] } => {
  const { read, search, parameters } = accessToType(resourceScopesOf(scope), type);
  return { read, search, parameters: parameters.map(String) };
};

const nothing = { read: false, search: false, parameters: [] };
const everything = { read: true, search: true, parameters: [] };
const laboratory = 'category=http://terminology.hl7.org/CodeSystem/observation-category|laboratory';
const laboratoryEncoded = new URLSearchParams(laboratory).toString();

describe('parseResourceScope', () => {
  it.each([
    ['patient/*.read', { context: 'patient', type: '*', syntax: 'v1', read: true, search: true }],
    ['patient/Observation.*', { context: 'patient', type: 'Observation', syntax: 'v1', read: true, search: true }],
    ['user/Patient.write', { context: 'user', type: 'Patient', syntax: 'v1', read: false, search: false }],
    ['patient/*.rs', { context: 'patient', type: '*', syntax: 'v2', read: true, search: true }],
    ['patient/*.cruds', { context: 'patient', type: '*', syntax: 'v2', read: true, search: true }],
    ['system/Device.r', { context: 'system', type: 'Device', syntax: 'v2', read: true, search: false }],
    ['patient/Device.s', { context: 'patient', type: 'Device', syntax: 'v2', read: false, search: true }],
    ['patient/Device.sr', { context: 'patient', type: 'Device', syntax: 'v2', read: true, search: true }],
    ['patient/Device.cud', { context: 'patient', type: 'Device', syntax: 'v2', read: false, search: false }],
  ])('reads %s', (scope, expected) => {
    expect(parseResourceScope(scope)).toEqual({ value: scope, ...expected });
  });

  it('reads the query of a granular scope', () => {
    const parsed = parseResourceScope(`patient/Observation.rs?${laboratory}&status=final`);
    expect(parsed?.parameters?.get('category')).toBe(laboratory.slice('category='.length));
    expect(parsed?.parameters?.get('status')).toBe('final');
  });

  it.each([
    'launch',
    'launch/patient',
    'openid',
    'fhirUser',
    'offline_access',
    'patient/',
    'patient/*',
    'patient/Observation.',
    'patient/Observation.admin',
    'patient/observation.read',
    'practitioner/Observation.read',
    'xpatient/Observation.read',
    '',
  ])('reads nothing from "%s"', (scope) => {
    expect(parseResourceScope(scope)).toBeUndefined();
  });
});

describe('accessToType', () => {
  it.each([
    ['', nothing],
    ['openid launch/patient', nothing],
    ['patient/Observation.read', everything],
    ['patient/Observation.*', everything],
    ['patient/*.cruds', everything],
    ['user/*.rs', everything],
    ['system/*.read', nothing],
    ['patient/Condition.read', nothing],
    ['patient/Observation.write', nothing],
    ['patient/Observation.cud', nothing],
    ['patient/Observation.r', { read: true, search: false, parameters: [] }],
    ['patient/Observation.s', { read: false, search: true, parameters: [] }],
    ['patient/Observation.r patient/*.s', everything],
    [`patient/Observation.rs?${laboratory}`, { read: true, search: true, parameters: [laboratoryEncoded] }],
    [`patient/Observation.rs?${laboratory} patient/Observation.rs`, everything],
    [`patient/Observation.rs?${laboratory} patient/*.read`, everything],
    [
      'patient/Observation.rs?category=a patient/Observation.rs?category=b patient/Observation.rs?category=a',
      { read: true, search: true, parameters: ['category=a', 'category=b'] },
    ],
    ['patient/Observation.r patient/Observation.s?a=b', { read: true, search: true, parameters: ['a=b'] }],
    ['patient/Observation.s patient/Observation.r?a=b', everything],
    ['patient/Observation.r?a=b', { read: true, search: false, parameters: ['a=b'] }],
    ['patient/Observation.rs?', everything],
    ['patient/*.rs?a=b', { read: true, search: true, parameters: ['a=b'] }],
  ])('grants of "%s"', (scope, expected) => {
    expect(access(scope)).toEqual(expected);
  });
});

describe('any set of scopes', () => {
  const types = ['Observation', 'Condition', 'Patient'];
  const scope = fc
    .record({
      context: fc.constantFrom('patient', 'user', 'system'),
      type: fc.constantFrom('*', ...types),
      interactions: fc.constantFrom('read', 'write', '*', 'r', 's', 'rs', 'cruds', 'cud'),
      query: fc.constantFrom('', '', '?category=a', '?category=b&status=final', '?code=x%20y'),
    })
    .map(({ context, type, interactions, query }) => `${context}/${type}.${interactions}${query}`);
  const scopes = fc.array(fc.oneof(scope, fc.constantFrom('openid', 'launch/patient')), { maxLength: 8 });
  const type = fc.constantFrom(...types);

  it('grants the same access in any order', () => {
    fc.assert(
      fc.property(scopes, type, (values, name) => {
        const sorted = ({ parameters, ...rest }: ReturnType<typeof access>): unknown => ({
          ...rest,
          parameters: parameters.sort(),
        });
        expect(sorted(access(values.toReversed().join(' '), name))).toEqual(sorted(access(values.join(' '), name)));
      }),
    );
  });

  it('never grants less access after a scope is added', () => {
    fc.assert(
      fc.property(scopes, scope, type, (values, added, name) => {
        const before = access(values.join(' '), name);
        const after = access([...values, added].join(' '), name);
        expect(Number(after.read)).toBeGreaterThanOrEqual(Number(before.read));
        expect(Number(after.search)).toBeGreaterThanOrEqual(Number(before.search));
        if (before.search && before.parameters.length === 0) expect(after.parameters).toEqual([]);
        if (before.search && after.parameters.length > 0)
          expect(after.parameters).toEqual(expect.arrayContaining(before.parameters));
      }),
    );
  });

  it('keeps the values of the scopes', () => {
    fc.assert(
      fc.property(scopes, (values) => {
        expect(resourceScopesOf(values.join(' ')).map(({ value }) => value)).toEqual(
          values.filter((value) => value.includes('.')),
        );
      }),
    );
  });
});
