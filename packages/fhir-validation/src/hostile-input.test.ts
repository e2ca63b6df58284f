import { releases } from '@tributary/fhir-definitions';
import { parseJson, type JsonObject, type JsonValue } from '@tributary/fhir-json';
import fc from 'fast-check';
import { MAX_ISSUES, validateResource } from './index';

function nested(depth: number): JsonObject {
  let extension: JsonObject = { url: 'u', valueCode: 'x' };
  for (let level = 1; level < depth; level++) extension = { url: 'u', extension: [extension] };
  return { resourceType: 'Patient', extension: [extension] };
}

describe('hostile input', () => {
  it('is validated up to the maximum depth of the parser', () => {
    expect(validateResource('r4', nested(60))).toEqual([]);
    expect(validateResource('r4', nested(100_000))).toMatchObject([{ code: 'too-costly' }]);
  });

  it('has a limited number of issues', () => {
    const resource = { resourceType: 'Patient', name: Array.from({ length: 50_000 }, () => ({ nickname: 'x' })) };
    const issues = validateResource('r4', resource);
    expect(issues).toHaveLength(MAX_ISSUES + 1);
    expect(issues.at(-1)).toMatchObject({ code: 'too-costly' });
  });

  it.each([
    ['birthDate', `${'1'.repeat(500_000)}!`],
    ['language', `${'a '.repeat(500_000)} `],
    ['implicitRules', `${'\u00a0'.repeat(500_000)}x`],
    ['id', '-'.repeat(1_000_000)],
    ['gender', 'x'.repeat(2_000_000)],
  ])('in %s takes time in proportion to its length', (name, value) => {
    expect(validateResource('r4', { resourceType: 'Patient', [name]: value })).toHaveLength(1);
  });

  it('in base64, narratives and references takes time in proportion to its length', () => {
    const resource = {
      resourceType: 'Patient',
      text: {
        status: 'generated',
        div: `<div>${'<p on'.repeat(200_000)}<q ${' onx'.repeat(200_000)} onclick=""></q></div>`,
      },
      photo: [{ data: `AAAA${' '.repeat(500_000)}!` }],
      managingOrganization: { reference: `http://${'a/'.repeat(500_000)}?` },
    };
    expect(validateResource('r4', resource).map(({ expression }) => expression)).toEqual([
      'Patient.text.div',
      'Patient.photo[0].data',
    ]);
  });

  it.each(releases)('of any shape is validated without an exception and without quoted values in %s', (release) => {
    const secret = 'Zyxwvut';
    const key = fc.oneof(
      fc.constantFrom(
        'resourceType',
        'id',
        'name',
        'given',
        '_given',
        'extension',
        'valueString',
        'contained',
        'constructor',
        'toString',
        'reference',
      ),
      fc.string(),
    );
    const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<JsonValue>(
          null,
          true,
          0,
          -1.5,
          secret,
          `${secret} ${secret}`,
          '',
          '#',
          `#${secret}`,
          `${secret}/1`,
          `Patient/${secret}`,
        ),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 5, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(
        fc.constantFrom('Patient', 'Observation', 'Bundle', 'Parameters', 'Questionnaire'),
        fc.dictionary(key, value, { maxKeys: 8, noNullPrototype: true }),
        (resourceType, content) => {
          const issues = validateResource(release, { ...content, resourceType });
          expect(JSON.stringify(issues)).not.toContain(secret);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('cannot use properties of prototypes', () => {
    expect(() => parseJson('{"resourceType":"Patient","__proto__":{"x":1}}')).toThrow('__proto__');
    expect(validateResource('r4', { resourceType: 'Patient', constructor: { prototype: {} } })).toMatchObject([
      { code: 'structure' },
    ]);
  });
});
