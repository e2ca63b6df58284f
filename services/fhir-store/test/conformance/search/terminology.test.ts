import fc from 'fast-check';
import { type Release, releases } from '@tributary/fhir-definitions';
import type { JsonObject } from '@tributary/fhir-json';
import { FhirStoreUnderTest } from '../../fhir-store-under-test';
import { type RecordOverHttp, resourceOf, textOf } from '../../record-over-http';

const loinc = 'http://loinc.org';
const animals = 'http://example.org/animals';

/** Where the releases name the same thing differently. */
const names = {
  dstu2: { act: 'http://hl7.org/fhir/v3/ActCode', actSet: 'http://hl7.org/fhir/ValueSet/v3-ActEncounterCode' },
  stu3: { act: 'http://hl7.org/fhir/v3/ActCode', actSet: 'http://hl7.org/fhir/ValueSet/v3-ActEncounterCode' },
  r4: {
    act: 'http://terminology.hl7.org/CodeSystem/v3-ActCode',
    actSet: 'http://terminology.hl7.org/ValueSet/v3-ActEncounterCode',
  },
} as const satisfies Record<Release, unknown>;

const concepts = (...codes: string[]): JsonObject[] => codes.map((code) => ({ code }));
const valueSet = (
  release: Release,
  name: string,
  include: JsonObject[],
  exclude: JsonObject[] = [],
  more?: JsonObject,
): JsonObject => ({
  resourceType: 'ValueSet',
  ...(release === 'dstu2' ? { name } : {}),
  status: 'active',
  url: `http://example.org/ValueSet/${name}`,
  compose: { include, ...(exclude.length > 0 ? { exclude } : {}), ...more },
});
const observation = (coding: JsonObject[], status = 'final'): JsonObject => ({
  resourceType: 'Observation',
  status,
  code: coding.length > 0 ? { coding } : { text: 'none' },
});

/** The R4 search page, #token, modifiers `:in`, `:not-in`, `:above` and `:below`, in every release. */
describe.each(releases)('%s: codes by value sets and code systems', (release) => {
  let store: FhirStoreUnderTest;
  let user: RecordOverHttp;
  let ids: Map<string, string>;
  const { act, actSet } = names[release];

  beforeAll(async () => {
    store = await FhirStoreUnderTest.start();
    user = store.user();
    ids = new Map();
    const resources: Record<string, JsonObject> = {
      weight: observation([{ system: loinc, code: '29463-7' }]),
      height: observation([{ system: loinc, code: '8302-2' }], 'amended'),
      both: observation([
        { system: loinc, code: '8302-2' },
        { system: animals, code: 'poodle' },
      ]),
      inpatient: observation([{ system: act, code: 'ACUTE' }], 'preliminary'),
      elsewhere: observation([{ system: 'http://elsewhere.example', code: '29463-7' }]),
      plain: observation([{ code: '29463-7' }]),
      uncoded: observation([]),
      listed: valueSet(release, 'listed', [{ system: loinc, concept: concepts('29463-7', '3141-9') }]),
      whole: valueSet(release, 'whole', [{ system: loinc }], [{ system: loinc, concept: concepts('29463-7') }]),
      nested:
        release === 'dstu2'
          ? valueSet(release, 'nested', [{ system: animals, concept: concepts('poodle') }], [], {
              import: ['http://example.org/ValueSet/listed'],
            })
          : valueSet(release, 'nested', [
              { system: animals, concept: concepts('poodle') },
              { valueSet: ['http://example.org/ValueSet/listed'] },
            ]),
      below: valueSet(release, 'below', [
        { system: animals, filter: [{ property: 'concept', op: 'is-a', value: 'dog' }] },
      ]),
      unknown: valueSet(release, 'unknown', [
        { system: 'http://snomed.info/sct', filter: [{ property: 'concept', op: 'is-a', value: '73211009' }] },
      ]),
      animals:
        release === 'dstu2'
          ? {
              resourceType: 'ValueSet',
              name: 'Animals',
              status: 'active',
              url: 'http://example.org/ValueSet/animals',
              codeSystem: {
                system: animals,
                concept: [{ code: 'dog', concept: concepts('poodle') }, ...concepts('cat')],
              },
            }
          : {
              resourceType: 'CodeSystem',
              status: 'active',
              url: animals,
              content: 'complete',
              concept: [{ code: 'dog', concept: concepts('poodle') }, ...concepts('cat')],
            },
    };
    for (const [name, resource] of Object.entries(resources)) ids.set(name, (await user.create(release, resource)).id);
  });
  afterAll(() => store.stop());

  const found = async (address: string): Promise<string[]> => {
    const byId = new Map([...ids].map(([name, id]) => [id, name]));
    const filled = address.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => ids.get(name) ?? name);
    return (await user.all(`/${release}/${filled}`)).map(({ id }) => byId.get(id ?? '') ?? '?').toSorted();
  };
  const all = ['both', 'elsewhere', 'height', 'inpatient', 'plain', 'uncoded', 'weight'];

  it.each([
    ['code:in={listed}', ['weight']],
    ['code:in=ValueSet/{listed}', ['weight']],
    [`code:in=https:%2F%2Ffhir.example.org/${release}/ValueSet/{listed}`, ['weight']],
    ['code:in=http://example.org/ValueSet/listed', ['weight']],
    [
      'code:not-in=http://example.org/ValueSet/listed',
      ['both', 'elsewhere', 'height', 'inpatient', 'plain', 'uncoded'],
    ],
    ['code:in=http://example.org/ValueSet/whole', ['both', 'height']],
    ['code:not-in=http://example.org/ValueSet/whole', ['elsewhere', 'inpatient', 'plain', 'uncoded', 'weight']],
    ['code:in=http://example.org/ValueSet/nested', ['both', 'weight']],
    ['code:in=http://example.org/ValueSet/below', ['both']],
    ['code:in={listed},{whole}', ['both', 'height', 'weight']],
    ['code:in={whole}&status=amended', ['height']],
    ['code:in={whole}&_count=1', ['both', 'height']],
    ['_filter=code%20in%20ValueSet/{listed}', ['weight']],
    ['_filter=code%20in%20{whole}%20and%20status%20eq%20amended', ['height']],
  ])('#token: value sets of the record: %s', async (search, expected) => {
    expect(await found(`Observation?${search}`)).toEqual(expected);
  });

  it.each([
    [`code:in=${actSet}`, ['inpatient']],
    [`code:not-in=${actSet}`, all.filter((name) => name !== 'inpatient')],
    ['status:in=http://hl7.org/fhir/ValueSet/observation-status', all],
    ['status:not-in=http://hl7.org/fhir/ValueSet/observation-status', []],
    [`code:below=${act}|_ActEncounterCode`, ['inpatient']],
    [`code:below=${act}|IMP`, ['inpatient']],
    [`code:below=${act}|AMB`, []],
    [`code:above=${act}|ACUTE`, ['inpatient']],
    [`code:above=${act}|IMP`, []],
    [`code:below=${animals}|dog`, ['both']],
    [`code:below=${animals}|cat`, []],
    [`code:below=${animals}|cat,${act}|IMP`, ['inpatient']],
  ])('#token: value sets and code systems of the release, and the hierarchy: %s', async (search, expected) => {
    expect(await found(`Observation?${search}`)).toEqual(expected);
  });

  it.each([
    ['code:in=http://example.org/ValueSet/nowhere', 'http://example.org/ValueSet/nowhere'],
    ['code:not-in=http://example.org/ValueSet/nowhere', 'http://example.org/ValueSet/nowhere'],
    ['code:in={unknown}', 'is not known'],
    ['code:in=http://hl7.org/fhir/ValueSet/clinical-findings', 'http://hl7.org/fhir/ValueSet/clinical-findings'],
    ['code:below=http://snomed.info/sct|73211009', 'http://snomed.info/sct'],
    ['code:above=http://snomed.info/sct|73211009', 'http://snomed.info/sct'],
    [`code:below=${act}|nonsense`, 'has no such code'],
    ['code:below=dog', 'system|code'],
    ['identifier:in={listed}', ':in'],
  ])('#errors: refuses undecidable codes instead of leaving them out: %s', async (search, named) => {
    const response = await user.get(
      `/${release}/Observation?${search.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => ids.get(name) ?? name)}`,
    );
    const [issue] = resourceOf(response)['issue'] as JsonObject[];
    expect([response.status, textOf(response)]).toEqual([400, expect.stringContaining(named)]);
    expect(issue?.['diagnostics']).toContain(search.slice(0, search.indexOf('=')));
  });

  it('another user sees none of the value sets', async () => {
    const response = await store.user().get(`/${release}/Observation?code:in=http://example.org/ValueSet/listed`);
    expect(response.status).toBe(400);
  });

  it(':in and :not-in partition the observations of a record, whatever the value set', async () => {
    const own = store.user();
    const code = fc.constantFrom('a', 'b', 'c');
    const system = fc.constantFrom('http://s.example', 'http://t.example');
    const coding = fc.record({ system, code }, { requiredKeys: ['code'] });
    const stored = fc.sample(fc.array(coding, { maxLength: 2 }), { seed: 20260101, numRuns: 25 });
    const created: string[] = [];
    for (const codings of stored) created.push((await own.create(release, observation(codings))).id);
    const part = fc.oneof(
      fc.record({ system }),
      fc.record({ system, concept: fc.array(fc.record({ code }), { minLength: 1, maxLength: 3 }) }),
    );
    const holds = (
      parts: readonly { system: string; concept?: { code: string }[] }[],
      each: { system?: string; code: string },
    ): boolean =>
      parts.some(
        (one) => one.system === each.system && (one.concept?.some((concept) => concept.code === each.code) ?? true),
      );
    const idsOf = async (search: string): Promise<Set<string | undefined>> =>
      new Set((await own.all(`/${release}/Observation?${search}&_count=1000`)).map(({ id }) => id));
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 3 }),
        fc.array(part, { maxLength: 2 }),
        async (include, exclude) => {
          const { id } = await own.create(release, valueSet(release, 'any', include, exclude));
          const [within, without, missing] = [
            await idsOf(`code:in=${id}`),
            await idsOf(`code:not-in=${id}`),
            await idsOf('code:missing=true'),
          ];
          const expected = created.filter((_id, index) =>
            stored[index]?.some((each) => holds(include, each) && !holds(exclude, each)),
          );
          expect([...within].toSorted()).toEqual(expected.toSorted());
          expect([...within, ...without].toSorted()).toEqual(created.toSorted());
          // What has no value at all is in no value set, as it is no match of a code.
          expect([...missing].every((each) => without.has(each))).toBe(true);
        },
      ),
      { seed: 20260101, numRuns: 15 },
    );
  });
});
