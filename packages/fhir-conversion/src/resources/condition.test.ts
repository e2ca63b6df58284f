import type { JsonObject } from '@tributary/fhir-json';
import { extensionOf, concept, inR4 } from '../../test/in-r4';

const CLINICAL = 'http://terminology.hl7.org/CodeSystem/condition-clinical';
const VERIFICATION = 'http://terminology.hl7.org/CodeSystem/condition-ver-status';

const dstu2 = (content: JsonObject): JsonObject =>
  inR4('dstu2', {
    resourceType: 'Condition',
    patient: { reference: 'Patient/1' },
    code: { text: 'x' },
    verificationStatus: 'confirmed',
    ...content,
  });
const stu3 = (content: JsonObject): JsonObject =>
  inR4('stu3', { resourceType: 'Condition', subject: { reference: 'Patient/1' }, code: { text: 'x' }, ...content });

describe('Condition', () => {
  it('of dstu2', () => {
    const content = {
      encounter: { reference: 'Encounter/1' },
      asserter: { reference: 'Practitioner/1' },
      dateRecorded: '2020-01-02',
      category: concept('http://hl7.org/fhir/condition-category', 'diagnosis'),
      clinicalStatus: 'active',
      severity: { text: 'mild' },
      onsetQuantity: { value: 40, unit: 'years', system: 'http://unitsofmeasure.org', code: 'a' },
      stage: { summary: { text: 'II' } },
      evidence: [{ code: { text: 'fever' }, detail: [{ reference: 'Observation/1' }] }],
      bodySite: [{ text: 'arm' }],
      notes: 'odd',
    };
    expect(dstu2(content)).toEqual({
      resourceType: 'Condition',
      subject: { reference: 'Patient/1' },
      code: { text: 'x' },
      verificationStatus: concept(VERIFICATION, 'confirmed'),
      encounter: { reference: 'Encounter/1' },
      asserter: { reference: 'Practitioner/1' },
      recordedDate: '2020-01-02',
      category: [concept('http://terminology.hl7.org/CodeSystem/condition-category', 'diagnosis')],
      clinicalStatus: concept(CLINICAL, 'active'),
      severity: { text: 'mild' },
      onsetAge: content.onsetQuantity,
      stage: [{ summary: { text: 'II' } }],
      evidence: [{ code: [{ text: 'fever' }], detail: [{ reference: 'Observation/1' }] }],
      bodySite: [{ text: 'arm' }],
      note: [{ text: 'odd' }],
    });
  });

  it('of stu3', () => {
    const kept = {
      category: [{ text: 'problem' }],
      onsetAge: { value: 40, system: 'http://unitsofmeasure.org', code: 'a' },
      note: [{ text: 'odd', authorString: 'me', time: '2020' }],
    };
    expect(
      stu3({
        ...kept,
        context: { reference: 'Encounter/1' },
        assertedDate: '2020-01-02',
        clinicalStatus: 'recurrence',
        verificationStatus: 'provisional',
        stage: { summary: { text: 'II' } },
      }),
    ).toEqual({
      resourceType: 'Condition',
      subject: { reference: 'Patient/1' },
      code: { text: 'x' },
      ...kept,
      encounter: { reference: 'Encounter/1' },
      recordedDate: '2020-01-02',
      clinicalStatus: concept(CLINICAL, 'recurrence'),
      verificationStatus: concept(VERIFICATION, 'provisional'),
      stage: [{ summary: { text: 'II' } }],
    });
  });

  it.each(['active', 'relapse', 'remission', 'resolved'])('converts the clinical status %s of dstu2', (code) => {
    expect(dstu2({ clinicalStatus: code })['clinicalStatus']).toEqual(concept(CLINICAL, code));
  });

  it.each(['active', 'recurrence', 'inactive', 'remission', 'resolved'])(
    'knows the clinical status %s of stu3',
    (code) => {
      expect(stu3({ clinicalStatus: code })['clinicalStatus']).toEqual(concept(CLINICAL, code));
    },
  );

  it.each(['provisional', 'differential', 'confirmed', 'refuted', 'entered-in-error'])(
    'knows the verification status %s',
    (verificationStatus) => {
      for (const convert of [dstu2, stu3])
        expect(convert({ verificationStatus })['verificationStatus']).toEqual(
          concept(VERIFICATION, verificationStatus),
        );
    },
  );

  it('writes the verification status unknown to an extension', () => {
    const converted = stu3({ verificationStatus: 'unknown' });
    expect(converted['verificationStatus']).toBeUndefined();
    expect(converted['extension']).toEqual([
      extensionOf('stu3', 'Condition.verificationStatus', { valueCode: 'unknown' }),
    ]);
    expect(dstu2({ clinicalStatus: 'chronic' })['extension']).toEqual([
      extensionOf('dstu2', 'Condition.clinicalStatus', { valueCode: 'chronic' }),
    ]);
  });

  it('has no clinical status when it was entered in error', () => {
    const converted = stu3({ clinicalStatus: 'active', verificationStatus: 'entered-in-error' });
    expect(converted['clinicalStatus']).toBeUndefined();
    expect(converted['extension']).toEqual([extensionOf('stu3', 'Condition.clinicalStatus', { valueCode: 'active' })]);
  });

  it('is inactive when it has an abatement and no clinical status', () => {
    expect(dstu2({ abatementDateTime: '2020' })).toMatchObject({
      abatementDateTime: '2020',
      clinicalStatus: concept(CLINICAL, 'inactive'),
    });
    expect(dstu2({ abatementDateTime: '2020', clinicalStatus: 'resolved' })).toMatchObject({
      clinicalStatus: concept(CLINICAL, 'resolved'),
    });
    expect(stu3({ abatementBoolean: true })).toMatchObject({
      clinicalStatus: concept(CLINICAL, 'inactive'),
      extension: [extensionOf('stu3', 'Condition.abatement', { valueBoolean: true })],
    });
    expect(stu3({ abatementBoolean: false })['clinicalStatus']).toBeUndefined();
    expect(
      stu3({ abatementDateTime: '2020', verificationStatus: 'entered-in-error' })['clinicalStatus'],
    ).toBeUndefined();
  });

  it.each<JsonObject>([
    { abatementPeriod: { end: '2020' } },
    { abatementRange: { low: { value: 1 } } },
    { abatementString: 'x' },
    { onsetPeriod: { start: '2019' } },
    { onsetRange: { low: { value: 1 } } },
    { onsetString: 'x' },
    { onsetDateTime: '2019' },
  ])('keeps %j', (content) => {
    for (const convert of [dstu2, stu3]) expect(convert(content)).toMatchObject(content);
  });
});
