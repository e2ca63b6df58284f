import fc from 'fast-check';
import { releases, type Release } from '@tributary/fhir-definitions';
import type { JsonObject, Resource } from '@tributary/fhir-json';
import { parseSearch, readTerminology, SearchError, type FindDefinitions } from '../index';
import { releaseTerminology } from './terminology';

const loinc = 'http://loinc.org';
const mine = 'http://example.org/vs';
const animals = 'http://example.org/animals';

/** A record that holds these definitions. */
function holding(...resources: JsonObject[]): FindDefinitions {
  return async (type, parameter, value) =>
    (resources as Resource[]).filter(
      (each) =>
        each.resourceType === type &&
        (parameter === '_id'
          ? each.id
          : parameter === 'url'
            ? each['url']
            : (each['codeSystem'] as JsonObject | undefined)?.['system']) === value,
    );
}

async function criterionOf(search: string, find: FindDefinitions = holding(), release: Release = 'r4') {
  const pairs = [...new URLSearchParams(search)];
  const terminology = await readTerminology(release, pairs, find, 'https://here/r4');
  const [criterion] = parseSearch(release, 'Observation', pairs, { strict: true, terminology }).criteria;
  if (!criterion) throw new Error('no criterion');
  return criterion;
}

const observation = (...coding: JsonObject[]): Resource => ({
  resourceType: 'Observation',
  status: 'final',
  code: { coding },
});
const valueSet = (compose: JsonObject, more: JsonObject = {}): JsonObject => ({
  resourceType: 'ValueSet',
  id: 'vs',
  url: mine,
  compose,
  ...more,
});
const weight = observation({ system: loinc, code: '29463-7' });
const height = observation({ system: loinc, code: '8302-2' });
const local = observation({ system: 'http://local', code: '29463-7' });
const bare = observation({ code: '29463-7' });

async function found(search: string, find?: FindDefinitions): Promise<boolean[]> {
  const criterion = await criterionOf(search, find);
  return [weight, height, local, bare].map((each) => criterion.matches(each));
}

describe('value sets of the record', () => {
  const listed = valueSet({ include: [{ system: loinc, concept: [{ code: '29463-7' }] }] });

  it('are named by id, reference, URL on this server, or canonical URL with or without a version', async () => {
    for (const name of ['vs', 'ValueSet/vs', 'https://here/r4/ValueSet/vs', mine])
      expect([name, await found(`code:in=${name}`, holding(listed))]).toEqual([name, [true, false, false, false]]);
    expect(
      await found(`code:in=${mine}|2`, holding({ ...listed, version: '1', compose: {} }, { ...listed, version: '2' })),
    ).toEqual([true, false, false, false]);
    await expect(criterionOf(`code:in=${mine}|3`, holding({ ...listed, version: '2' }))).rejects.toMatchObject({
      code: 'not-supported',
      parameter: 'code:in',
    });
  });

  it('are searched for by terms when they are small', async () => {
    expect(await criterionOf('code:in=vs', holding(listed))).toMatchObject({
      exact: true,
      condition: { op: 'any-term', terms: [`Observation.code|s|${loinc}|29463-7`] },
    });
    expect(await criterionOf('code:not-in=vs', holding(listed))).toMatchObject({
      exact: true,
      condition: { op: 'not' },
    });
  });

  it('are evaluated on the content when they contain a whole code system', async () => {
    const whole = holding(
      valueSet({ include: [{ system: loinc }], exclude: [{ system: loinc, concept: [{ code: '8302-2' }] }] }),
    );
    expect(await criterionOf('code:in=vs', whole)).toMatchObject({ exact: false, condition: { op: 'all' } });
    expect(await found('code:in=vs', whole)).toEqual([true, false, false, false]);
    expect(await found('code:not-in=vs', whole)).toEqual([false, true, true, true]);
  });

  it('can include others, and intersections of several', async () => {
    const find = holding(
      valueSet({
        include: [
          { valueSet: ['http://example.org/a', 'http://example.org/b'] },
          { system: 'http://local', concept: [{ code: '29463-7' }], valueSet: 'http://example.org/a' },
        ],
      }),
      { resourceType: 'ValueSet', url: 'http://example.org/a', compose: { include: [{ system: loinc }] } },
      {
        resourceType: 'ValueSet',
        url: 'http://example.org/b',
        compose: { include: [{ system: loinc, concept: [{ code: '8302-2' }] }] },
      },
    );
    expect(await found('code:in=vs', find)).toEqual([false, true, false, false]);
  });

  it('use their expansion when it is complete', async () => {
    const contains = [{ system: loinc, abstract: true, code: 'x', contains: [{ system: loinc, code: '8302-2' }] }];
    const filter = { include: [{ system: loinc, filter: [{ property: 'SCALE_TYP', op: '=', value: 'Qn' }] }] };
    expect(await found('code:in=vs', holding(valueSet(filter, { expansion: { total: 1, contains } })))).toEqual([
      false,
      true,
      false,
      false,
    ]);
    await expect(
      criterionOf('code:in=vs', holding(valueSet(filter, { expansion: { total: 2, contains } }))),
    ).rejects.toThrow(SearchError);
  });

  it('of dstu2 import others and define codes of their own', async () => {
    const find = holding(
      { resourceType: 'ValueSet', id: 'vs', compose: { import: ['http://example.org/own'] } },
      {
        resourceType: 'ValueSet',
        url: 'http://example.org/own',
        codeSystem: { system: animals, concept: [{ code: 'dog', concept: [{ code: 'poodle' }] }] },
      },
    );
    for (const [search, expected] of [
      ['code:in=vs', true],
      [`code:below=${animals}|dog`, true],
      [`code:below=${animals}|poodle`, true],
      [`code:above=${animals}|dog`, false],
    ] as const) {
      const criterion = await criterionOf(search, find, 'dstu2');
      expect([search, criterion.matches(observation({ system: animals, code: 'poodle' }))]).toEqual([search, expected]);
    }
  });

  it('are refused when their codes are unknown', async () => {
    const unknown = [
      {},
      {
        include: [
          { system: 'http://snomed.info/sct', filter: [{ property: 'concept', op: 'is-a', value: '73211009' }] },
        ],
      },
      { include: [{ valueSet: ['http://nowhere.example'] }] },
      { include: [{ valueSet: [mine] }] },
      { include: [{ concept: [{ code: 'x' }] }] },
    ];
    for (const compose of unknown)
      await expect(criterionOf(`code:in=${mine}`, holding(valueSet(compose)))).rejects.toMatchObject({
        code: 'not-supported',
        parameter: 'code:in',
      });
    await expect(criterionOf('code:in=http://vs')).rejects.toMatchObject({
      message: expect.stringContaining('http://vs') as string,
    });
    await expect(criterionOf('identifier:in=http://hl7.org/fhir/ValueSet/observation-status')).rejects.toMatchObject({
      code: 'not-supported',
    });
  });

  it('are expanded with a bounded amount of work', async () => {
    const sets = Array.from({ length: 90 }, (_, i) => ({
      resourceType: 'ValueSet',
      url: `http://example.org/${i}`,
      compose: {
        include: [{ valueSet: [`http://example.org/${i + 1}`] }, { valueSet: [`http://example.org/${i + 1}`] }],
      },
    }));
    const last = {
      resourceType: 'ValueSet',
      url: 'http://example.org/90',
      compose: { include: [{ system: loinc, concept: [{ code: '29463-7' }] }] },
    };
    expect(await found('code:in=http://example.org/0', holding(...sets, last))).toEqual([true, false, false, false]);
    await expect(
      criterionOf(`code:in=${Array.from({ length: 101 }, (_, i) => `http://vs/${i}`).join()}`),
    ).rejects.toMatchObject({ code: 'invalid' });
    const codes = Array.from({ length: 3000 }, (_, i) => ({ code: String(i) }));
    const large = valueSet({
      include: Array.from({ length: 3000 }, () => ({ valueSet: ['http://example.org/codes'] })),
    });
    await expect(
      criterionOf(
        'code:in=vs',
        holding(large, {
          resourceType: 'ValueSet',
          url: 'http://example.org/codes',
          compose: { include: [{ system: loinc, concept: codes }] },
        }),
      ),
    ).rejects.toMatchObject({ code: 'not-supported' });
  });
});

describe('terminology of a release', () => {
  it.each(releases)('%s: every value set of the tables has codes', (release) => {
    const { tables } = require(`@tributary/fhir-definitions/dist/terminology/tables/${release}`) as {
      tables: { valueSets: object };
    };
    const urls = Object.keys(tables.valueSets);
    expect(urls.length).toBeGreaterThan(300);
    expect(urls.filter((url) => releaseTerminology(release).valueSet(url) === undefined)).toEqual([]);
  });

  it('knows the descendants and ancestors of a code', async () => {
    const status = 'http://hl7.org/fhir/observation-status';
    for (const [search, expected] of [
      [`below=${status}|amended`, true],
      [`below=${status}|corrected`, true],
      [`below=${status}|final`, false],
      [`above=${status}|corrected`, true],
      [`above=${status}|amended`, false],
    ] as const) {
      const criterion = await criterionOf(`status:${search}`);
      expect([
        search,
        criterion.exact,
        criterion.matches({ resourceType: 'Observation', status: 'corrected' }),
      ]).toEqual([search, true, expected]);
    }
    const act = 'http://terminology.hl7.org/CodeSystem/v3-ActCode';
    expect(releaseTerminology('r4').codeSystem(act)?.below('_ActEncounterCode')).toContain('IMP');
    expect(
      releaseTerminology('stu3').codeSystem('http://hl7.org/fhir/v3/ActCode')?.below('_ActEncounterCode'),
    ).toContain('IMP');
    expect(releaseTerminology('dstu2').codeSystem('http://hl7.org/fhir/v3/ActCode')?.above('IMP')).toContain(
      '_ActEncounterCode',
    );
  });

  it('names the unknown code system or code', async () => {
    await expect(criterionOf('code:below=http://snomed.info/sct|73211009')).rejects.toMatchObject({
      code: 'not-supported',
      message: expect.stringContaining('http://snomed.info/sct') as string,
    });
    await expect(criterionOf('status:below=http://hl7.org/fhir/observation-status|nonsense')).rejects.toMatchObject({
      code: 'invalid',
    });
    await expect(criterionOf('code:below=73211009')).rejects.toMatchObject({ code: 'invalid' });
    await expect(criterionOf('code:in=http://hl7.org/fhir/ValueSet/observation-status|9')).rejects.toMatchObject({
      code: 'not-supported',
    });
    expect((await criterionOf('status:in=http://hl7.org/fhir/ValueSet/observation-status|4.0.1')).matches(weight)).toBe(
      true,
    );
  });

  it('serves the operators in, ni, ss and sb of _filter', async () => {
    const status = 'http://hl7.org/fhir/observation-status';
    const amended: Resource = { resourceType: 'Observation', status: 'amended', code: {} };
    for (const [filter, expected] of [
      [`status in http://hl7.org/fhir/ValueSet/observation-status`, true],
      [`status ni http://hl7.org/fhir/ValueSet/observation-status`, false],
      [`status in ValueSet/vs`, true],
      [`status ss ${status}|corrected`, true],
      [`status sb ${status}|corrected`, false],
    ] as const) {
      const criterion = await criterionOf(
        `_filter=${encodeURIComponent(filter)}`,
        holding(valueSet({ include: [{ system: status, concept: [{ code: 'amended' }] }] })),
      );
      expect([filter, criterion.matches(amended)]).toEqual([filter, expected]);
    }
  });
});

it('a value set and its negation match each resource exactly once', async () => {
  const code = fc.constantFrom('a', 'b', 'c', 'd');
  const system = fc.constantFrom('http://s', 'http://t');
  const part = fc.oneof(
    fc.record({ system }),
    fc.record({ system, concept: fc.array(fc.record({ code }), { minLength: 1 }) }),
  );
  const coding = fc.record({ system, code }, { requiredKeys: [] });
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.array(part, { maxLength: 2 }),
      fc.array(coding, { maxLength: 3 }),
      async (include, exclude, codings) => {
        const find = holding(valueSet({ include, exclude }));
        const resource = observation(...codings);
        const holds = (
          parts: readonly { system: string; concept?: { code: string }[] }[],
          each: { system?: string; code?: string },
        ): boolean =>
          parts.some(
            (one) =>
              one.system === each.system &&
              (one.concept === undefined || one.concept.some((concept) => concept.code === each.code)),
          );
        const expected = codings.some(
          (each) => each.code !== undefined && holds(include, each) && !holds(exclude, each),
        );
        expect([
          (await criterionOf('code:in=vs', find)).matches(resource),
          (await criterionOf('code:not-in=vs', find)).matches(resource),
        ]).toEqual([expected, !expected]);
      },
    ),
    { seed: 20260101 },
  );
});
