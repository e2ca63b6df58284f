import { resourceTypes } from '@tributary/fhir-definitions';
import { isJsonObject, type JsonValue, type Resource } from '@tributary/fhir-json';
import { validateResource } from '@tributary/fhir-validation';
import fc from 'fast-check';
import { convertToR4, type SourceRelease } from './index';
import { convertibleTypes } from './resources';
import { randomFrom, ResourceMaker } from '../test/resource-maker';

/** The words of a value. Words in ids are left out, since an id may be dropped with its component. */
function wordsOf(value: JsonValue | undefined): string[] {
  if (typeof value === 'string') return value.match(/word\d+/g) ?? [];
  if (Array.isArray(value)) return value.flatMap(wordsOf);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => (name === 'id' ? [] : wordsOf(member)));
}

/**
 * Whether a valid resource can be refused for this reason: a status or time that R4 cannot express, a modifier
 * extension of a component that R4 does not have, or a contained resource that cannot be converted.
 */
function isLawful(release: SourceRelease, reason: string): boolean {
  if (
    /^R4 requires (?:Immunization\.status|Signature\.when|(?:DataRequirement|ParameterDefinition)\.type), and/.test(
      reason,
    )
  )
    return true;
  const path = /^R4 has no element for ([A-Za-z.]+)\.$/.exec(reason)?.[1];
  return (
    path !== undefined &&
    (path.endsWith('.modifierExtension') || !convertibleTypes[release].has(path.slice(0, path.indexOf('.'))))
  );
}

const cases = (['dstu2', 'stu3'] as const).flatMap((release) =>
  [...convertibleTypes[release]].map((type) => [release, type] as const),
);

/** Generates a resource of the type. About 30 percent of the resources contain a resource of a random type. */
function makeResource(release: SourceRelease, type: string, seed: number, density: number): Resource {
  const random = randomFrom(seed);
  const maker = new ResourceMaker(release, random, density);
  if (random() > 0.3) return maker.resource(type);
  const types = resourceTypes(release);
  const contained = maker.containedResource(types[Math.floor(random() * types.length)] ?? 'Basic', 'inside');
  return maker.resource(type, [contained]);
}

describe.each(cases)('any valid %s %s', (release, type) => {
  it('becomes a valid R4 resource without loss, or has an expected reason', () => {
    let converted = 0;
    fc.assert(
      fc.property(fc.integer(), fc.double({ min: 0.2, max: 0.9, noNaN: true }), (seed, density) => {
        const resource = makeResource(release, type, seed, density);
        if (validateResource(release, resource).length > 0) return;
        const before = structuredClone(resource);
        const { resource: inR4, reason } = convertToR4(release, resource);
        expect(resource).toEqual(before);
        if (inR4 === undefined) return expect(isLawful(release, reason) ? 'lawful' : reason).toBe('lawful');
        converted++;
        expect(validateResource('r4', inR4)).toEqual([]);
        const kept = new Set(wordsOf(inR4));
        expect(wordsOf(resource).filter((word) => !kept.has(word))).toEqual([]);
      }),
      { numRuns: 80 },
    );
    expect(converted).toBeGreaterThan(20);
  });
});
