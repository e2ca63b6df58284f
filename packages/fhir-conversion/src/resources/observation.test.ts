import { DecimalText, type JsonObject } from '@tributary/fhir-json';
import { extensionOf, concept, inR4 } from '../../test/in-r4';

const SAME = {
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'weight' },
  subject: { reference: 'Patient/1' },
  effectivePeriod: { start: '2020', end: '2021' },
  issued: '2020-01-01T00:00:00Z',
  performer: [{ reference: 'Practitioner/1' }],
  bodySite: { text: 'arm' },
  method: { text: 'scale' },
  specimen: { reference: 'Specimen/1' },
  device: { reference: 'Device/1' },
};

describe('Observation', () => {
  it.each(['registered', 'preliminary', 'final', 'amended', 'cancelled', 'entered-in-error', 'unknown'])(
    'keeps the status %s',
    (status) => {
      for (const release of ['dstu2', 'stu3'] as const)
        expect(inR4(release, { ...SAME, status })['status']).toBe(status);
    },
  );

  it('of dstu2', () => {
    const content = {
      category: concept('http://hl7.org/fhir/observation-category', 'vital-signs'),
      encounter: { reference: 'Encounter/1' },
      interpretation: concept('http://hl7.org/fhir/v2/0078', 'H'),
      comments: 'odd',
      referenceRange: [{ low: { value: 1 }, meaning: { text: 'normal' }, text: '1 or more' }],
      component: [{ code: { text: 'part' }, valueString: 'x', referenceRange: [{ meaning: { text: 'normal' } }] }],
    };
    expect(inR4('dstu2', { ...SAME, ...content })).toEqual({
      ...SAME,
      category: [concept('http://terminology.hl7.org/CodeSystem/observation-category', 'vital-signs')],
      encounter: { reference: 'Encounter/1' },
      interpretation: [concept('http://terminology.hl7.org/CodeSystem/v2-0078', 'H')],
      note: [{ text: 'odd' }],
      referenceRange: [{ low: { value: 1 }, type: { text: 'normal' }, text: '1 or more' }],
      component: [{ code: { text: 'part' }, valueString: 'x', referenceRange: [{ type: { text: 'normal' } }] }],
    });
  });

  it('of stu3', () => {
    const kept = {
      identifier: [{ system: 'urn:x', value: '1' }],
      category: [{ text: 'vital signs' }],
      referenceRange: [{ type: { text: 'normal' }, appliesTo: [{ text: 'women' }], age: { low: { value: 1 } } }],
    };
    const content = {
      basedOn: [{ reference: 'ProcedureRequest/1' }, { reference: 'ReferralRequest/2' }, { reference: 'CarePlan/3' }],
      context: { reference: 'Encounter/1' },
      interpretation: { text: 'high' },
      comment: 'odd',
      component: [{ code: { text: 'part' }, interpretation: { text: 'low' }, valueQuantity: { value: 1 } }],
    };
    expect(inR4('stu3', { ...SAME, ...kept, ...content })).toEqual({
      ...SAME,
      ...kept,
      basedOn: [{ reference: 'ServiceRequest/1' }, { reference: 'ServiceRequest/2' }, { reference: 'CarePlan/3' }],
      encounter: { reference: 'Encounter/1' },
      interpretation: [{ text: 'high' }],
      note: [{ text: 'odd' }],
      component: [{ code: { text: 'part' }, interpretation: [{ text: 'low' }], valueQuantity: { value: 1 } }],
    });
  });

  it.each<JsonObject>([
    {
      valueQuantity: {
        value: new DecimalText('1.50'),
        comparator: '<',
        unit: 'kg',
        system: 'http://unitsofmeasure.org',
        code: 'kg',
      },
    },
    { valueCodeableConcept: { text: 'x' } },
    { valueString: 'x' },
    { valueRange: { low: { value: 1 }, high: { value: new DecimalText('2.0') } } },
    { valueRatio: { numerator: { value: 1 }, denominator: { value: 2 } } },
    { valueSampledData: { origin: { value: 0 }, period: 10, dimensions: 1, data: '1 E 2' } },
    { valueTime: '10:00:00' },
    { valueDateTime: '2020-01-01T10:00:00Z' },
    { valuePeriod: { start: '2020' } },
    { dataAbsentReason: { text: 'x' } },
  ])('keeps %j', (value) => {
    for (const release of ['dstu2', 'stu3'] as const)
      expect(inR4(release, { ...SAME, ...value })).toEqual({ ...SAME, ...value });
  });

  it('keeps a boolean value, which dstu2 does not have', () => {
    expect(inR4('stu3', { ...SAME, valueBoolean: false })).toEqual({ ...SAME, valueBoolean: false });
  });

  it.each(['dstu2', 'stu3'] as const)('writes an attachment value of %s to an extension', (release) => {
    expect(inR4(release, { ...SAME, valueAttachment: { title: 'x' } })).toEqual({
      ...SAME,
      extension: [extensionOf(release, 'Observation.value', { valueAttachment: { title: 'x' } })],
    });
  });

  it.each(['dstu2', 'stu3'] as const)(
    'converts members and sources of %s, and writes other relations to extensions',
    (release) => {
      const target = (id: string): JsonObject => ({ reference: `Observation/${id}` });
      const related = [
        { type: 'has-member', target: target('1') },
        { type: 'derived-from', target: target('2') },
        { type: 'replaces', target: target('3') },
        { type: 'has-member', target: target('4') },
        { target: target('5') },
      ];
      expect(inR4(release, { ...SAME, related })).toEqual({
        ...SAME,
        hasMember: [target('1'), target('4')],
        derivedFrom: [target('2')],
        extension: [
          extensionOf(release, 'Observation.related', {
            extension: [
              { url: 'type', valueCode: 'replaces' },
              { url: 'target', valueReference: target('3') },
            ],
          }),
          extensionOf(release, 'Observation.related', { extension: [{ url: 'target', valueReference: target('5') }] }),
        ],
      });
    },
  );

  it('writes a context that is an EpisodeOfCare to an extension', () => {
    const context = { reference: 'EpisodeOfCare/1' };
    expect(inR4('stu3', { ...SAME, context })).toEqual({
      ...SAME,
      extension: [extensionOf('stu3', 'Observation.context', { valueReference: context })],
    });
  });
});
