import type { JsonObject } from '@tributary/fhir-json';
import { extensionOf, inR4 } from '../../test/in-r4';

const SAME = { resourceType: 'MedicationStatement', status: 'active', medicationCodeableConcept: { text: 'x' } };
const PATIENT = { reference: 'Patient/1' };

const dstu2 = (content: JsonObject): JsonObject => inR4('dstu2', { ...SAME, patient: PATIENT, ...content });
const stu3 = (content: JsonObject): JsonObject => inR4('stu3', { ...SAME, subject: PATIENT, taken: 'y', ...content });

describe('MedicationStatement', () => {
  it('of dstu2', () => {
    const kept = { informationSource: PATIENT, dateAsserted: '2020', effectivePeriod: { start: '2019' } };
    const content = {
      reasonForUseCodeableConcept: { text: 'why' },
      note: 'odd',
      supportingInformation: [{ reference: 'MedicationOrder/1' }],
      dosage: [
        {
          text: 'one',
          quantityQuantity: { value: 1 },
          rateRange: { low: { value: 2 } },
          siteReference: { reference: 'BodySite/1' },
        },
      ],
    };
    expect(dstu2({ ...kept, ...content })).toEqual({
      ...SAME,
      ...kept,
      subject: PATIENT,
      reasonCode: [{ text: 'why' }],
      note: [{ text: 'odd' }],
      derivedFrom: [{ reference: 'MedicationRequest/1' }],
      dosage: [
        {
          text: 'one',
          doseAndRate: [{ doseQuantity: { value: 1 }, rateRange: { low: { value: 2 } } }],
          extension: [
            extensionOf('dstu2', 'MedicationStatement.dosage.site', {
              valueReference: { reference: 'BodyStructure/1' },
            }),
          ],
        },
      ],
    });
    expect(dstu2({ reasonForUseReference: { reference: 'Condition/1' } })['reasonReference']).toEqual([
      { reference: 'Condition/1' },
    ]);
  });

  it('of stu3', () => {
    const kept = {
      category: { text: 'a' },
      context: { reference: 'EpisodeOfCare/1' },
      informationSource: PATIENT,
      derivedFrom: [{ reference: 'Observation/1' }],
      reasonCode: [{ text: 'why' }],
      note: [{ text: 'odd' }],
      partOf: [{ reference: 'Procedure/1' }],
    };
    expect(
      stu3({ ...kept, basedOn: [{ reference: 'ProcedureRequest/1' }], dosage: [{ doseQuantity: { value: 1 } }] }),
    ).toEqual({
      ...SAME,
      ...kept,
      subject: PATIENT,
      basedOn: [{ reference: 'ServiceRequest/1' }],
      dosage: [{ doseAndRate: [{ doseQuantity: { value: 1 } }] }],
    });
  });

  it.each(['active', 'completed', 'entered-in-error', 'intended'])('keeps the status %s', (status) => {
    expect(dstu2({ status })['status']).toBe(status);
    expect(stu3({ status })['status']).toBe(status);
  });

  it.each(['stopped', 'on-hold'])('keeps the status %s of stu3', (status) => {
    expect(stu3({ status })['status']).toBe(status);
  });

  it('has the status not-taken when the medication was not taken', () => {
    expect(dstu2({ wasNotTaken: true, reasonNotTaken: [{ text: 'a' }, { text: 'b' }] })).toEqual({
      ...SAME,
      subject: PATIENT,
      status: 'not-taken',
      statusReason: [{ text: 'a' }, { text: 'b' }],
      extension: [extensionOf('dstu2', 'MedicationStatement.status', { valueCode: 'active' })],
    });
    expect(stu3({ taken: 'n' })).toEqual({
      ...SAME,
      subject: PATIENT,
      status: 'not-taken',
      extension: [extensionOf('stu3', 'MedicationStatement.status', { valueCode: 'active' })],
    });
    expect(stu3({ taken: 'unk' })).toEqual({
      ...SAME,
      subject: PATIENT,
      status: 'unknown',
      extension: [extensionOf('stu3', 'MedicationStatement.status', { valueCode: 'active' })],
    });
    expect(dstu2({ wasNotTaken: false })).toEqual({ ...SAME, subject: PATIENT });
  });

  it('writes what the status does not express to an extension', () => {
    expect(stu3({ taken: 'na' })).toEqual({
      ...SAME,
      subject: PATIENT,
      modifierExtension: [extensionOf('stu3', 'MedicationStatement.taken', { valueCode: 'na' })],
    });
    expect(stu3({ taken: 'n', status: 'entered-in-error' })).toMatchObject({
      status: 'entered-in-error',
      modifierExtension: [extensionOf('stu3', 'MedicationStatement.taken', { valueCode: 'n' })],
    });
    expect(dstu2({ wasNotTaken: true, status: 'entered-in-error' })).toMatchObject({
      status: 'entered-in-error',
      modifierExtension: [extensionOf('dstu2', 'MedicationStatement.wasNotTaken', { valueBoolean: true })],
    });
    const beside = { extension: [{ url: 'http://example.org/x', valueString: 'y' }] };
    expect(dstu2({ wasNotTaken: false, _wasNotTaken: beside })['modifierExtension']).toEqual([
      extensionOf('dstu2', 'MedicationStatement.wasNotTaken', { valueBoolean: false, _valueBoolean: beside }),
    ]);
  });
});
