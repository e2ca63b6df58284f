import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compartment, numberOfType, releases, resourceTypes, searchParameters, typeOfNumber } from '../index';
import { numberedTypes } from '../resource-types/numbered-types';

const data = process.env['TRIBUTARY_DATA'] ?? join(__dirname, '../../../../../shared/data');
const officialDstu2 = join(data, 'definitions/dstu2-search-parameters.json');

describe('the search parameter tables', () => {
  it('have the published number of parameters', () => {
    const count = (release: (typeof releases)[number]) =>
      resourceTypes(release).reduce(
        (sum, type) =>
          sum + [...searchParameters(release, type).values()].filter((parameter) => parameter.base === type).length,
        0,
      );
    expect([count('stu3'), count('r4')]).toEqual([1370 - 8, 1709 - 9]);
  });

  it('read every path of every release', () => {
    for (const release of releases) {
      for (const type of resourceTypes(release)) {
        for (const parameter of searchParameters(release, type).values()) {
          const paths = [...parameter.paths, ...parameter.components.flatMap((component) => component.paths)];
          for (const path of paths)
            expect([path.type, path.steps.length > 0]).toEqual([expect.stringMatching(/^\w+$/), true]);
          if (parameter.type === 'composite') expect(parameter.components.length).toBeGreaterThan(1);
        }
      }
    }
  });

  it('have choices, filters, target types and code systems', () => {
    const r4 = searchParameters('r4', 'Observation');
    expect(r4.get('date')?.paths.map((path) => path.steps.at(-1)?.property)).toEqual([
      'effectiveDateTime',
      'effectivePeriod',
      'effectiveTiming',
      'effectiveInstant',
    ]);
    expect(r4.get('patient')?.paths[0]).toMatchObject({ type: 'Reference', resolvesTo: 'Patient' });
    expect(r4.get('status')?.paths[0]?.systems).toEqual(['http://hl7.org/fhir/observation-status']);
    expect(r4.get('combo-code-value-quantity')?.starts.map((start) => start.map((step) => step.property))).toEqual([
      [],
      ['component'],
    ]);
    expect(searchParameters('r4', 'Patient').get('email')?.paths[0]?.steps).toEqual([
      { property: 'telecom', element: 'telecom', repeats: true, where: { name: 'system', equals: 'email' } },
    ]);
    expect(searchParameters('dstu2', 'Patient').get('deceased')?.paths[0]).toMatchObject({
      type: 'present',
      anyOf: ['deceasedBoolean', 'deceasedDateTime'],
    });
  });

  it('are empty for a type that the release does not have', () => {
    expect(searchParameters('r4', 'MedicationOrder').size).toBe(0);
  });
});

const whenPresent = existsSync(officialDstu2) ? it : it.skip;

interface OfficialParameter {
  base: string;
  code: string;
  type: string;
  xpath?: string;
  target?: string[];
}

describe('the dstu2 table', () => {
  whenPresent('agrees with the official one (skipped when that is absent)', () => {
    const official = JSON.parse(readFileSync(officialDstu2, 'utf8')) as OfficialParameter[];
    const pathless = new Set(['Condition.age']);
    for (const { base, code, type, xpath, target } of official) {
      if (pathless.has(`${base}.${code}`)) continue;
      const ours = searchParameters('dstu2', base);
      const names = code.endsWith('[x]')
        ? [...ours.keys()].filter((name) => name.startsWith(code.slice(0, -3)))
        : [code];
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) {
        const parameter = ours.get(name);
        expect([base, name, parameter?.type]).toEqual([base, name, type]);
        if (target && target.length < 90 && parameter && parameter.targets.length > 0 && code !== 'patient') {
          expect([base, name, parameter.targets.filter((each) => !target.includes(each))]).toEqual([base, name, []]);
        }
      }
      if (type === 'composite' || xpath === undefined || xpath.includes('[')) continue;
      const wanted = xpath.split(' | ').map((path) => path.replaceAll('f:', '').split('/').slice(1).join('.'));
      const found = ours.get(code)?.paths.map((path) => path.steps.map((step) => step.property).join('.')) ?? [];
      if (ours.get(code)?.paths[0]?.type === 'present') continue;
      const unexpected = found.filter(
        (path) => !wanted.includes(path) && !path.endsWith('.text') && !/value(Period|SampledData)$/.test(path),
      );
      expect([base, code, unexpected]).toEqual([base, code, []]);
    }
  });
});

describe('type numbers', () => {
  it('are unique and reversible, one per resource type of all releases', () => {
    expect(new Set(numberedTypes).size).toBe(numberedTypes.length);
    for (const release of releases)
      for (const type of resourceTypes(release)) expect(typeOfNumber(numberOfType(type))).toBe(type);
  });

  it('never change', () => {
    expect(['Account', 'AllergyIntolerance', 'Observation', 'Patient', 'VisionPrescription'].map(numberOfType))
      .toMatchInlineSnapshot(`
[
  1,
  4,
  108,
  117,
  167,
]
`);
  });
});

describe('compartments', () => {
  it('name search parameters that exist', () => {
    for (const release of releases) {
      const members = compartment(release, 'Patient');
      expect(members.size).toBeGreaterThan(40);
      for (const [type, codes] of members) {
        for (const code of codes)
          expect([release, type, code, searchParameters(release, type).has(code)]).toEqual([release, type, code, true]);
      }
    }
  });
});
