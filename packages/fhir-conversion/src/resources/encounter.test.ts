import type { JsonObject } from '@tributary/fhir-json';
import { extensionOf, concept, inR4, UNKNOWN } from '../../test/in-r4';

const ACT_CODE = 'http://terminology.hl7.org/CodeSystem/v3-ActCode';
const ROLES = 'http://terminology.hl7.org/CodeSystem/diagnosis-role';
const KEPT = {
  resourceType: 'Encounter',
  status: 'finished',
  statusHistory: [{ status: 'arrived', period: { start: '2020' } }],
  type: [{ text: 't' }],
  priority: { text: 'p' },
  episodeOfCare: [{ reference: 'EpisodeOfCare/1' }],
  participant: [{ type: [{ text: 'a' }], period: { start: '2020' }, individual: { reference: 'Practitioner/1' } }],
  period: { start: '2020-01-01T10:00:00Z' },
  length: { value: 5, system: 'http://unitsofmeasure.org', code: 'min' },
  location: [{ location: { reference: 'Location/1' }, status: 'completed' }],
  serviceProvider: { reference: 'Organization/1' },
  partOf: { reference: 'Encounter/0' },
};

const dstu2 = (content: JsonObject): JsonObject => inR4('dstu2', { ...KEPT, class: 'ambulatory', ...content });
const stu3 = (content: JsonObject): JsonObject =>
  inR4('stu3', { ...KEPT, class: { system: 'http://hl7.org/fhir/v3/ActCode', code: 'AMB' }, ...content });
const AMBULATORY = { system: ACT_CODE, code: 'AMB', display: 'ambulatory' };

describe('Encounter', () => {
  it('of dstu2', () => {
    const content = {
      patient: { reference: 'Patient/1' },
      incomingReferral: [{ reference: 'ReferralRequest/1' }],
      appointment: { reference: 'Appointment/1' },
      reason: [{ text: 'why' }],
      indication: [{ reference: 'Condition/1' }, { reference: 'Procedure/1' }],
      hospitalization: {
        admitSource: concept('http://hl7.org/fhir/admit-source', 'emd'),
        admittingDiagnosis: [{ reference: 'Condition/2' }],
        dischargeDiagnosis: [{ reference: 'Condition/3' }],
        dischargeDisposition: { text: 'home' },
      },
    };
    expect(dstu2(content)).toEqual({
      ...KEPT,
      class: AMBULATORY,
      subject: { reference: 'Patient/1' },
      basedOn: [{ reference: 'ServiceRequest/1' }],
      appointment: [{ reference: 'Appointment/1' }],
      reasonCode: [{ text: 'why' }],
      reasonReference: content.indication,
      hospitalization: {
        admitSource: concept('http://terminology.hl7.org/CodeSystem/admit-source', 'emd'),
        dischargeDisposition: { text: 'home' },
      },
      diagnosis: [
        {
          condition: { reference: 'Condition/2' },
          use: { coding: [{ system: ROLES, code: 'AD', display: 'Admission diagnosis' }] },
        },
        {
          condition: { reference: 'Condition/3' },
          use: { coding: [{ system: ROLES, code: 'DD', display: 'Discharge diagnosis' }] },
        },
      ],
    });
    expect(
      dstu2({ hospitalization: { admittingDiagnosis: [{ reference: 'Condition/2' }] } })['hospitalization'],
    ).toBeUndefined();
  });

  it('of stu3', () => {
    const kept = {
      subject: { reference: 'Patient/1' },
      classHistory: [{ class: { system: 'urn:x', code: 'y' }, period: { start: '2020' } }],
      account: [{ reference: 'Account/1' }],
    };
    const content = {
      incomingReferral: [{ reference: 'ReferralRequest/1' }],
      appointment: { reference: 'Appointment/1' },
      reason: [{ text: 'why' }],
      diagnosis: [
        { condition: { reference: 'Condition/1' }, role: concept('http://hl7.org/fhir/diagnosis-role', 'CC'), rank: 1 },
      ],
    };
    expect(stu3({ ...kept, ...content })).toEqual({
      ...KEPT,
      ...kept,
      class: { system: ACT_CODE, code: 'AMB' },
      basedOn: [{ reference: 'ServiceRequest/1' }],
      appointment: [{ reference: 'Appointment/1' }],
      reasonCode: [{ text: 'why' }],
      diagnosis: [{ condition: { reference: 'Condition/1' }, use: concept(ROLES, 'CC'), rank: 1 }],
    });
  });

  it.each([
    ['inpatient', 'IMP', 'inpatient encounter'],
    ['ambulatory', 'AMB', 'ambulatory'],
    ['emergency', 'EMER', 'emergency'],
    ['home', 'HH', 'home health'],
    ['field', 'FLD', 'field'],
    ['virtual', 'VR', 'virtual'],
  ])('converts the class %s of dstu2 to %s', (old, code, display) => {
    expect(dstu2({ class: old })['class']).toEqual({ system: ACT_CODE, code, display });
  });

  it.each([
    ['outpatient', 'AMB', 'ambulatory'],
    ['daytime', 'SS', 'short stay'],
  ])('converts the class %s of dstu2 to the more general %s, and writes it to an extension', (old, code, display) => {
    expect(dstu2({ class: old })['class']).toEqual({
      system: ACT_CODE,
      code,
      display,
      extension: [extensionOf('dstu2', 'Encounter.class', { valueCode: old })],
    });
  });

  it('keeps a class without a code in R4, and has an unknown class when the source has none', () => {
    expect(dstu2({ class: 'other', _class: { id: 'c' } })['class']).toEqual({
      system: 'http://hl7.org/fhir/encounter-class',
      code: 'other',
      _code: { id: 'c' },
    });
    expect(inR4('dstu2', KEPT)['class']).toEqual(UNKNOWN);
    expect(inR4('stu3', KEPT)['class']).toEqual(UNKNOWN);
  });

  it.each(['planned', 'arrived', 'in-progress', 'onleave', 'finished', 'cancelled'])(
    'keeps the status %s',
    (status) => {
      for (const convert of [dstu2, stu3]) expect(convert({ status })['status']).toBe(status);
    },
  );
});
