import { DecimalText, type JsonObject, type JsonValue, type Resource } from '@tributary/fhir-json';
import { convertToR4 } from '../index';
import { extensionOf, concept, inR4 } from '../../test/in-r4';

const releases = ['dstu2', 'stu3'] as const;

/** The value of an extension in R4. */
function valueOf(release: 'dstu2' | 'stu3', property: string, value: JsonValue): JsonValue | undefined {
  const converted = inR4(release, {
    resourceType: 'Patient',
    extension: [{ url: 'http://example.org/x', [property]: value }],
  });
  return (converted['extension'] as [JsonObject])[0][property];
}

describe('data types', () => {
  it.each<[string, JsonValue]>([
    ['valueDecimal', new DecimalText('1.00')],
    ['valueInteger', -3],
    ['valueBoolean', false],
    ['valueBase64Binary', 'QUJD'],
    ['valueInstant', '2020-01-01T00:00:00Z'],
    ['valueUri', 'urn:x'],
    ['valueOid', 'urn:oid:1.2'],
    ['valueId', 'a-1'],
    ['valueUnsignedInt', 0],
    ['valuePositiveInt', 1],
    ['valueMarkdown', '*x*'],
    ['valueCode', 'c'],
    ['valueTime', '10:00:00'],
    ['valueAnnotation', { authorReference: { reference: 'Patient/1' }, time: '2020', text: 'x' }],
    ['valueAttachment', { contentType: 'text/plain', url: 'http://example.org/x', creation: '2020' }],
    [
      'valueIdentifier',
      {
        use: 'usual',
        type: { text: 't' },
        system: 'urn:x',
        value: '1',
        period: { start: '2020' },
        assigner: { display: 'x' },
      },
    ],
    ['valueRange', { low: { value: new DecimalText('1.0') } }],
    [
      'valueAddress',
      { use: 'old', type: 'postal', text: 't', line: ['a'], district: 'd', postalCode: '1', period: { end: '2020' } },
    ],
    ['valueContactPoint', { system: 'other', value: 'x', use: 'work' }],
    ['valueMeta', { versionId: '1', profile: ['http://example.org/p'], security: [{ code: 'R' }] }],
  ])('%s is unchanged', (property, value) => {
    for (const release of releases) expect(valueOf(release, property, value)).toEqual(value);
  });

  it('Timing of dstu2', () => {
    const repeat = {
      boundsPeriod: { start: '2020' },
      count: 3,
      duration: new DecimalText('1.0'),
      durationUnits: 'h',
      frequency: 1,
      frequencyMax: 2,
      period: 4,
      periodMax: 6,
      periodUnits: 'h',
    };
    expect(valueOf('dstu2', 'valueTiming', { event: ['2020'], repeat, code: { text: 'x' } })).toEqual({
      event: ['2020'],
      repeat: {
        boundsPeriod: { start: '2020' },
        count: 3,
        duration: new DecimalText('1.0'),
        durationUnit: 'h',
        frequency: 1,
        frequencyMax: 2,
        period: 4,
        periodMax: 6,
        periodUnit: 'h',
      },
      code: { text: 'x' },
    });
  });

  it('Timing of stu3', () => {
    const timing = {
      repeat: {
        boundsDuration: { value: 3, code: 'd', system: 'http://unitsofmeasure.org' },
        count: 1,
        countMax: 2,
        dayOfWeek: ['mon', 'tue'],
        timeOfDay: ['10:00:00'],
        when: ['MORN', 'EVE'],
        offset: 5,
        durationUnit: 'min',
        duration: 1,
      },
    };
    expect(valueOf('stu3', 'valueTiming', timing)).toEqual(timing);
  });

  it('Signature', () => {
    const signature = {
      type: [{ system: 'urn:iso-astm:E1762-95:2013', code: '1.2.840.10065.1.12.1.1' }],
      when: '2020-01-01T00:00:00Z',
      whoReference: { reference: 'Practitioner/1' },
      contentType: 'image/png',
      blob: 'QUJD',
    };
    const inR4Form = {
      type: signature.type,
      when: signature.when,
      who: { reference: 'Practitioner/1' },
      sigFormat: 'image/png',
      data: 'QUJD',
    };
    for (const release of releases) expect(valueOf(release, 'valueSignature', signature)).toEqual(inR4Form);
    const { whoReference: _who, ...byUri } = { ...signature, whoUri: 'urn:signer' };
    const { who: _converted, ...rest } = inR4Form;
    for (const release of releases)
      expect(valueOf(release, 'valueSignature', byUri)).toEqual({
        ...rest,
        who: { identifier: { system: 'urn:ietf:rfc:3986', value: 'urn:signer' } },
      });
  });

  it('Money of stu3', () => {
    expect(
      valueOf('stu3', 'valueMoney', {
        value: new DecimalText('9.90'),
        code: 'USD',
        system: 'urn:iso:std:iso:4217',
        unit: 'dollars',
      }),
    ).toEqual({
      value: new DecimalText('9.90'),
      currency: 'USD',
      extension: [
        extensionOf('stu3', 'Money.system', { valueUri: 'urn:iso:std:iso:4217' }),
        extensionOf('stu3', 'Money.unit', { valueString: 'dollars' }),
      ],
    });
  });

  it.each(releases)('references of %s have the type names of R4', (release) => {
    const old = [
      'MedicationOrder/1',
      'ProcedureRequest/1/_history/2',
      'DataElement/1',
      'https://example.org/fhir/MedicationOrder/1',
      'urn:uuid:00000000-0000-4000-8000-000000000000',
      'Patient/1',
    ];
    if (release === 'stu3') old.shift();
    const converted = old.map((reference) => valueOf(release, 'valueReference', { reference, display: 'd' }));
    expect(converted.slice(release === 'stu3' ? 0 : 1)).toEqual([
      { reference: 'ServiceRequest/1/_history/2', display: 'd' },
      { display: 'd', extension: [extensionOf(release, 'Reference.reference', { valueString: 'DataElement/1' })] },
      { reference: 'https://example.org/fhir/MedicationOrder/1', display: 'd' },
      { reference: 'urn:uuid:00000000-0000-4000-8000-000000000000', display: 'd' },
      { reference: 'Patient/1', display: 'd' },
    ]);
    if (release === 'dstu2') expect(converted[0]).toEqual({ reference: 'MedicationRequest/1', display: 'd' });
  });

  it.each(releases)(
    'strings of %s that their R4 type does not allow are written to extensions as strings',
    (release) => {
      expect(
        inR4(release, {
          resourceType: 'Patient',
          birthDate: '-0044-03-15',
          identifier: [{ system: 'http://example.org/a b', value: '1' }],
        }),
      ).toEqual({
        resourceType: 'Patient',
        extension: [extensionOf(release, 'Patient.birthDate', { valueString: '-0044-03-15' })],
        identifier: [
          {
            value: '1',
            extension: [extensionOf(release, 'Identifier.system', { valueString: 'http://example.org/a b' })],
          },
        ],
      });
    },
  );

  it.each(releases)('units of %s have the new URL of a renamed code system', (release) => {
    const unit = { value: 1, system: 'http://hl7.org/fhir/v3/orderableDrugForm', code: 'TAB' };
    expect(valueOf(release, 'valueQuantity', unit)).toEqual({
      ...unit,
      system: 'http://terminology.hl7.org/CodeSystem/v3-orderableDrugForm',
    });
  });

  it('drops the comments of DSTU2', () => {
    expect(
      inR4('dstu2', {
        resourceType: 'Patient',
        fhir_comments: ['x'],
        maritalStatus: { ...concept('urn:x', 'y'), fhir_comments: ['z'] },
      }),
    ).toEqual({ resourceType: 'Patient', maritalStatus: concept('urn:x', 'y') });
  });

  it('accepts a single value in place of an array of one, and an array in place of a single value', () => {
    const faulty = { resourceType: 'Encounter', status: ['finished'], class: 'field', reason: { text: 'x' } };
    expect(convertToR4('dstu2', faulty as unknown as Resource).resource).toMatchObject({
      status: 'finished',
      reasonCode: [{ text: 'x' }],
    });
  });
});
