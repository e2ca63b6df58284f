import type { JsonObject } from '@tributary/fhir-json';
import { extensionOf, concept, inR4, UNKNOWN } from '../../test/in-r4';

const CLINICAL = 'http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical';
const VERIFICATION = 'http://terminology.hl7.org/CodeSystem/allergyintolerance-verification';

const dstu2 = (content: JsonObject): JsonObject =>
  inR4('dstu2', {
    resourceType: 'AllergyIntolerance',
    patient: { reference: 'Patient/1' },
    substance: { text: 'nuts' },
    ...content,
  });
const stu3 = (content: JsonObject): JsonObject =>
  inR4('stu3', {
    resourceType: 'AllergyIntolerance',
    patient: { reference: 'Patient/1' },
    verificationStatus: 'confirmed',
    ...content,
  });

describe('AllergyIntolerance', () => {
  it('of dstu2', () => {
    const content = {
      onset: '2019',
      recordedDate: '2020',
      recorder: { reference: 'Practitioner/1' },
      reporter: { reference: 'RelatedPerson/1' },
      status: 'active',
      type: 'allergy',
      category: 'food',
      lastOccurence: '2020-02',
      note: { text: 'odd' },
      reaction: [
        {
          substance: { text: 'cashew' },
          certainty: 'likely',
          manifestation: [{ text: 'rash' }],
          severity: 'mild',
          note: { text: 'itchy' },
        },
      ],
    };
    expect(dstu2(content)).toEqual({
      resourceType: 'AllergyIntolerance',
      patient: { reference: 'Patient/1' },
      code: { text: 'nuts' },
      onsetDateTime: '2019',
      recordedDate: '2020',
      recorder: { reference: 'Practitioner/1' },
      asserter: { reference: 'RelatedPerson/1' },
      clinicalStatus: concept(CLINICAL, 'active'),
      type: 'allergy',
      category: ['food'],
      lastOccurrence: '2020-02',
      note: [{ text: 'odd' }],
      reaction: [
        {
          substance: { text: 'cashew' },
          extension: [extensionOf('dstu2', 'AllergyIntolerance.reaction.certainty', { valueCode: 'likely' })],
          manifestation: [{ text: 'rash' }],
          severity: 'mild',
          note: [{ text: 'itchy' }],
        },
      ],
    });
  });

  it('of stu3', () => {
    const kept = {
      type: 'allergy',
      category: ['food', 'biologic'],
      criticality: 'high',
      code: { text: 'nuts' },
      onsetAge: { value: 3, system: 'http://unitsofmeasure.org', code: 'a' },
      recorder: { reference: 'Patient/1' },
      asserter: { reference: 'Patient/1' },
      lastOccurrence: '2020',
      note: [{ text: 'odd' }],
      reaction: [{ manifestation: [{ text: 'rash' }] }],
    };
    expect(stu3({ ...kept, clinicalStatus: 'active', assertedDate: '2020' })).toEqual({
      resourceType: 'AllergyIntolerance',
      patient: { reference: 'Patient/1' },
      ...kept,
      verificationStatus: concept(VERIFICATION, 'confirmed'),
      clinicalStatus: concept(CLINICAL, 'active'),
      recordedDate: '2020',
    });
  });

  it.each(['active', 'inactive', 'resolved'])('converts the status %s of dstu2 to a clinical status', (status) => {
    const { clinicalStatus, verificationStatus } = dstu2({ status });
    expect({ clinicalStatus, verificationStatus }).toEqual({
      clinicalStatus: concept(CLINICAL, status),
      verificationStatus: undefined,
    });
  });

  it.each(['unconfirmed', 'confirmed', 'refuted'])(
    'takes the status %s of dstu2 as verification, and the clinical status as unknown',
    (status) => {
      const { clinicalStatus, verificationStatus } = dstu2({ status });
      expect({ clinicalStatus, verificationStatus }).toEqual({
        clinicalStatus: UNKNOWN,
        verificationStatus: concept(VERIFICATION, status),
      });
    },
  );

  it('has no clinical status when it was entered in error', () => {
    expect(dstu2({ status: 'entered-in-error' })['clinicalStatus']).toBeUndefined();
    const converted = stu3({
      clinicalStatus: 'active',
      _clinicalStatus: { id: 's' },
      verificationStatus: 'entered-in-error',
    });
    expect(converted).toEqual({
      resourceType: 'AllergyIntolerance',
      patient: { reference: 'Patient/1' },
      verificationStatus: concept(VERIFICATION, 'entered-in-error'),
      extension: [
        extensionOf('stu3', 'AllergyIntolerance.clinicalStatus', { valueCode: 'active', _valueCode: { id: 's' } }),
      ],
    });
  });

  it.each([
    ['CRITL', 'low'],
    ['CRITH', 'high'],
    ['CRITU', 'unable-to-assess'],
  ])('converts the criticality %s to %s', (old, criticality) => {
    expect(dstu2({ criticality: old })['criticality']).toBe(criticality);
  });

  it('writes the category "other" to an extension', () => {
    expect(dstu2({ category: 'other', status: 'active' })).toEqual({
      resourceType: 'AllergyIntolerance',
      patient: { reference: 'Patient/1' },
      code: { text: 'nuts' },
      clinicalStatus: concept(CLINICAL, 'active'),
      extension: [extensionOf('dstu2', 'AllergyIntolerance.category', { valueCode: 'other' })],
    });
  });
});
