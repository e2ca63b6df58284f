import { releases } from '../release';
import { resourceTypes } from '../resource-types';
import { elementModel } from './index';
import type { ElementTables } from './table-format';

describe.each(releases)('elementModel(%s)', (release) => {
  const model = elementModel(release);

  it('has every type that an element names', () => {
    const names = [...resourceTypes(release)];
    const seen = new Set<string>();
    for (let name = names.pop(); name !== undefined; name = names.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      const type = model.type(name);
      expect([name, type]).toEqual([name, expect.anything()]);
      for (const { types } of type?.elements.values() ?? []) {
        expect(types.length).toBeGreaterThan(0);
        for (const { code, profile, targets = [] } of types)
          names.push(code, ...(profile ? [profile] : []), ...targets);
      }
    }
    expect(seen).toContain('HumanName');
    expect(seen).toContain('xhtml');
  });

  it('has the concrete resource types of the release, and no other', () => {
    const { tables } = require(`./tables/${release}`) as { tables: ElementTables };
    const concrete = Object.entries(tables.types).filter(([, { kind, abstract }]) => kind === 'resource' && !abstract);
    expect(concrete.map(([name]) => name).toSorted()).toEqual(resourceTypes(release).toSorted());
  });

  it('has valid cardinalities', () => {
    for (const name of resourceTypes(release)) {
      for (const element of model.type(name)?.elements.values() ?? []) {
        expect(element.min).toBeGreaterThanOrEqual(0);
        expect(element.max).toBeGreaterThanOrEqual(element.min);
        if (element.choice) expect(element.max).toBe(1);
      }
    }
  });

  it('a resource has the elements of its ancestors', () => {
    const patient = model.type('Patient');
    expect([...(patient?.elements.keys() ?? [])].slice(0, 8)).toEqual([
      'id',
      'meta',
      'implicitRules',
      'language',
      'text',
      'contained',
      'extension',
      'modifierExtension',
    ]);
    expect(patient?.elements.get('id')?.types).toEqual([{ code: 'id' }]);
    expect(model.type('Bundle')?.elements.has('text')).toBe(false);
  });

  it('names the property of each type of a choice', () => {
    const observation = model.type('Observation');
    expect(observation?.properties.get('valueQuantity')).toMatchObject({
      element: { name: 'value', choice: true, max: 1 },
      type: { code: 'Quantity' },
    });
    expect(observation?.properties.has('value')).toBe(false);
    expect(observation?.elements.has('value')).toBe(true);
  });

  it('lists the target types of references', () => {
    expect(model.type('Observation')?.elements.get('subject')?.types).toEqual([
      { code: 'Reference', targets: ['Patient', 'Group', 'Device', 'Location'] },
    ]);
    expect(model.type('Composition')?.elements.get('section')?.types).toEqual([{ code: 'Composition.section' }]);
    expect(model.type('List.entry')?.elements.get('item')?.types).toEqual([{ code: 'Reference' }]);
  });

  it('resolves content references to the component', () => {
    expect(model.type('Observation.component')?.elements.get('referenceRange')?.types).toEqual([
      { code: 'Observation.referenceRange' },
    ]);
    expect(model.type('Bundle.entry')?.elements.get('link')?.types).toEqual([{ code: 'Bundle.link' }]);
    expect(model.type('Parameters.parameter')?.elements.get('part')?.types).toEqual([{ code: 'Parameters.parameter' }]);
  });

  it('expands required value sets', () => {
    const status = model.type('Observation')?.elements.get('status');
    expect(status).toMatchObject({ min: 1, max: 1 });
    expect(status?.binding?.codes).toContain('entered-in-error');
    expect(status?.binding?.codes).not.toContain('done');
    expect(model.type('Patient')?.elements.get('gender')?.binding?.codes).toEqual(
      new Set(['male', 'female', 'other', 'unknown']),
    );
    expect(model.type('Quantity')?.elements.get('comparator')?.binding?.codes).toEqual(new Set(['<', '<=', '>=', '>']));
    expect(model.type('Patient')?.elements.get('language')?.binding).toBeUndefined();
  });

  it('knows the subtypes of each type', () => {
    expect(model.isSubtype('code', 'string')).toBe(true);
    expect(model.isSubtype('oid', 'uri')).toBe(true);
    expect(model.isSubtype('positiveInt', 'integer')).toBe(true);
    expect(model.isSubtype('Age', 'Quantity')).toBe(true);
    expect(model.isSubtype('Patient', 'Resource')).toBe(true);
    expect(model.isSubtype('Bundle', 'DomainResource')).toBe(false);
    expect(model.isSubtype('string', 'code')).toBe(false);
    expect(model.isSubtype('NoSuchType', 'Resource')).toBe(false);
  });

  it('forbids the comparator of a SimpleQuantity', () => {
    expect(model.type('SimpleQuantity')?.elements.get('comparator')?.max).toBe(0);
    expect(model.type('SimpleQuantity')?.elements.get('value')?.max).toBe(1);
    expect(model.type('Observation.referenceRange')?.elements.get('low')?.types).toEqual([
      { code: 'Quantity', profile: 'SimpleQuantity' },
    ]);
  });

  it('does not find types by property names of Object.prototype', () => {
    expect(model.type('constructor')).toBeUndefined();
    expect(model.type('__proto__')).toBeUndefined();
  });
});

describe('the differences between the releases', () => {
  it('are kept', () => {
    expect(resourceTypes('dstu2')).toHaveLength(94);
    expect(resourceTypes('stu3')).toHaveLength(117);
    expect(resourceTypes('r4')).toHaveLength(146);
    expect(elementModel('dstu2').type('Condition')?.properties.get('onsetQuantity')?.type).toEqual({
      code: 'Quantity',
      profile: 'Age',
    });
    expect(elementModel('stu3').type('Condition')?.properties.get('onsetAge')?.type).toEqual({ code: 'Age' });
    expect(elementModel('r4').type('uri')?.pattern).toBe('\\S*');
    expect(elementModel('r4').isSubtype('canonical', 'uri')).toBe(true);
    expect(elementModel('r4').type('MedicationRequest')?.elements.get('medication')?.types).toEqual([
      { code: 'CodeableConcept' },
      { code: 'Reference', targets: ['Medication'] },
    ]);
  });

  it('are those of FHIR 4.0.1 in R4', () => {
    const r4 = elementModel('r4');
    expect([...(r4.type('Meta')?.elements.keys() ?? [])]).toEqual([
      'id',
      'extension',
      'versionId',
      'lastUpdated',
      'source',
      'profile',
      'security',
      'tag',
    ]);
    expect(r4.type('SubscriptionStatus')).toBeUndefined();
    expect(r4.type('ResearchStudy')?.elements.has('label')).toBe(false);
    expect(r4.type('EvidenceVariable.characteristic')?.elements.get('groupMeasure')?.binding?.codes).toContain(
      'median-of-median',
    );
  });
});
