import { DecimalText, MAX_DEPTH, type JsonObject, type JsonValue, type Resource } from '@tributary/fhir-json';
import fc from 'fast-check';
import { convertToR4, type SourceRelease } from './index';
import { convertibleTypes } from './resources';
import { randomFrom, ResourceMaker } from '../test/resource-maker';

const releases = ['dstu2', 'stu3'] as const;
const SECRET = 'Secret-4711';

const names = fc.constantFrom(
  ...'resourceType id meta contained extension url valueString status class name family _family given period start reference subject patient context performer actor code coding text related type target dosage'.split(
    ' ',
  ),
  ...'dosageInstruction timing repeat taken wasNotTaken notDone explanation reason hospitalization admittingDiagnosis image link valueQuantity value onsetQuantity clinicalStatus _clinicalStatus __proto__ constructor toString'.split(
    ' ',
  ),
);

const { json } = fc.letrec<{ json: JsonValue; object: JsonObject }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonValue>(
      null,
      true,
      0,
      -1.5,
      SECRET,
      'Patient/1',
      '#x',
      new DecimalText('1.0'),
      ...convertibleTypes.stu3,
    ),
    fc.array(tie('json'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(names, tie('json'), { maxKeys: 6 }) as fc.Arbitrary<JsonObject>,
}));

function convertAny(release: SourceRelease, value: JsonValue): void {
  const { resource, reason } = convertToR4(release, value as unknown as Resource);
  expect((resource === undefined) !== (reason === undefined)).toBe(true);
  if (reason !== undefined) expect(reason).not.toContain(SECRET);
}

/** Freezes a value with all its members, so that a change throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

/** The objects and arrays of a value except DecimalText, which the conversion may share with its source. */
function objectsIn(value: unknown, found = new Set<unknown>()): Set<unknown> {
  if (typeof value !== 'object' || value === null || value instanceof DecimalText) return found;
  found.add(value);
  for (const member of Object.values(value)) objectsIn(member, found);
  return found;
}

describe.each(releases)('convertToR4 from %s', (release) => {
  it('does not throw for any JSON, and quotes no value in a reason', () => {
    fc.assert(
      fc.property(json, (value) => convertAny(release, value)),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => convertAny(release, value as JsonValue)),
      { numRuns: 300 },
    );
  });

  it('does not throw for any JSON in place of any element', () => {
    const types = fc.constantFrom(...convertibleTypes[release]);
    fc.assert(
      fc.property(types, fc.integer(), json, (type, seed, value) => {
        const resource = new ResourceMaker(release, randomFrom(seed), 0.5).resource(type);
        for (const name of Object.keys(resource))
          if (name !== 'resourceType') convertAny(release, { ...resource, [name]: value });
      }),
      { numRuns: 150 },
    );
  });

  it('neither changes the resource nor shares its objects', () => {
    const types = fc.constantFrom(...convertibleTypes[release]);
    fc.assert(
      fc.property(types, fc.integer(), (type, seed) => {
        const resource = frozen(new ResourceMaker(release, randomFrom(seed), 0.6).resource(type));
        const { resource: converted } = convertToR4(release, resource);
        const objects = objectsIn(resource);
        expect([...objectsIn(converted)].filter((object) => objects.has(object))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  it('refuses objects that are nested too deeply', () => {
    let extension: JsonObject = { url: 'http://example.org/x', valueString: SECRET };
    for (let depth = 0; depth < 20_000; depth++) extension = { url: 'http://example.org/x', extension: [extension] };
    expect(convertToR4(release, { resourceType: 'Patient', extension: [extension] }).reason).toBe(
      `Elements are nested deeper than ${MAX_DEPTH} levels.`,
    );
  });

  it('names the reason for a failed conversion', () => {
    const reasonOf = (resource: JsonValue): string | undefined =>
      convertToR4(release, resource as unknown as Resource).reason;
    expect(reasonOf('x')).toBe('A resource must be a JSON object.');
    expect(reasonOf({ resourceType: 'Nonsense' })).toBe(
      'The resource, or one that it contains, has no resourceType of its release.',
    );
    expect(reasonOf({ resourceType: 'Claim' })).toBe('There is no conversion of Claim to R4.');
    expect(reasonOf({ resourceType: 'Patient', nickname: SECRET })).toBe(
      'The release of the resource has no element Patient.nickname.',
    );
    expect(reasonOf({ resourceType: 'Patient', [`${SECRET} x`]: 1 })).toBe(
      'The resource has an element of Patient with a name that is none.',
    );
    expect(reasonOf({ resourceType: 'Patient', birthDate: 5 })).toBe('Patient.birthDate must be a JSON string.');
    expect(reasonOf({ resourceType: 'Patient', active: 'yes' })).toBe('Patient.active must be true or false.');
    expect(reasonOf({ resourceType: 'Patient', photo: [{ size: 'x' }] })).toBe(
      'Attachment.size must be a JSON number.',
    );
    expect(reasonOf({ resourceType: 'Patient', name: ['x'] })).toBe('HumanName must be a JSON object.');
    expect(reasonOf({ resourceType: 'Patient', _birthDate: 'x' })).toBe(
      'The companion property of Patient.birthDate must be an object.',
    );
    expect(reasonOf({ resourceType: 'Observation', code: { text: 'x' } })).toBe(
      'R4 requires Observation.status, and the resource has no value for it that R4 allows.',
    );
  });
});
