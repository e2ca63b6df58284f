import type { JsonObject } from '@tributary/fhir-json';
import { extensionOf, inR4, UNKNOWN } from '../../test/in-r4';

const SAME = {
  resourceType: 'Procedure',
  subject: { reference: 'Patient/1' },
  status: 'completed',
  code: { text: 'x' },
};
const KEPT = {
  category: { text: 'a' },
  bodySite: [{ text: 'arm' }],
  performedPeriod: { start: '2020' },
  location: { reference: 'Location/1' },
  outcome: { text: 'b' },
  report: [{ reference: 'DiagnosticReport/1' }],
  complication: [{ text: 'c' }],
  followUp: [{ text: 'd' }],
  focalDevice: [{ action: { text: 'e' }, manipulated: { reference: 'Device/1' } }],
};

const dstu2 = (content: JsonObject): JsonObject => inR4('dstu2', { ...SAME, ...content });
const stu3 = (content: JsonObject): JsonObject => inR4('stu3', { ...SAME, ...content });

describe('Procedure', () => {
  it('of dstu2', () => {
    const content = {
      reasonReference: { reference: 'Condition/1' },
      performer: [{ actor: { reference: 'Practitioner/1' }, role: { text: 'surgeon' } }, { role: { text: 'nurse' } }],
      encounter: { reference: 'Encounter/1' },
      request: { reference: 'DiagnosticOrder/1' },
      notes: [{ text: 'odd' }],
      used: [{ reference: 'Device/2' }],
    };
    expect(dstu2({ ...KEPT, ...content })).toEqual({
      ...SAME,
      ...KEPT,
      reasonReference: [{ reference: 'Condition/1' }],
      performer: [
        { actor: { reference: 'Practitioner/1' }, function: { text: 'surgeon' } },
        { actor: UNKNOWN, function: { text: 'nurse' } },
      ],
      encounter: { reference: 'Encounter/1' },
      basedOn: [{ reference: 'ServiceRequest/1' }],
      note: [{ text: 'odd' }],
      usedReference: [{ reference: 'Device/2' }],
    });
    expect(dstu2({ reasonCodeableConcept: { text: 'why' } })).toEqual({ ...SAME, reasonCode: [{ text: 'why' }] });
  });

  it('of stu3', () => {
    const kept = {
      partOf: [{ reference: 'Procedure/2' }],
      reasonCode: [{ text: 'why' }],
      complicationDetail: [{ reference: 'Condition/1' }],
      note: [{ text: 'odd' }],
      usedCode: [{ text: 'f' }],
    };
    const content = {
      definition: [{ reference: 'http://example.org/PlanDefinition/1' }, { reference: 'HealthcareService/1' }],
      basedOn: [{ reference: 'ProcedureRequest/1' }],
      context: { reference: 'Encounter/1' },
      performer: [
        {
          actor: { reference: 'Practitioner/1' },
          role: { text: 'surgeon' },
          onBehalfOf: { reference: 'Organization/1' },
        },
      ],
    };
    expect(stu3({ ...KEPT, ...kept, ...content })).toEqual({
      ...SAME,
      ...KEPT,
      ...kept,
      instantiatesCanonical: ['http://example.org/PlanDefinition/1'],
      basedOn: [{ reference: 'ServiceRequest/1' }],
      encounter: { reference: 'Encounter/1' },
      performer: [
        {
          actor: { reference: 'Practitioner/1' },
          function: { text: 'surgeon' },
          onBehalfOf: { reference: 'Organization/1' },
        },
      ],
      extension: [
        extensionOf('stu3', 'Procedure.definition', { valueReference: { reference: 'HealthcareService/1' } }),
      ],
    });
  });

  it.each([
    ['in-progress', 'in-progress'],
    ['aborted', 'stopped'],
    ['completed', 'completed'],
    ['entered-in-error', 'entered-in-error'],
  ])('converts the status %s to %s', (old, status) => {
    expect(dstu2({ status: old })['status']).toBe(status);
    expect(stu3({ status: old })['status']).toBe(status);
  });

  it.each([
    ['preparation', 'preparation'],
    ['suspended', 'on-hold'],
    ['unknown', 'unknown'],
  ])('converts the status %s of stu3 to %s', (old, status) => {
    expect(stu3({ status: old })['status']).toBe(status);
  });

  it('has the status not-done when it was not done', () => {
    const reasons = [{ text: 'refused' }, { text: 'ill' }];
    expect(dstu2({ status: 'aborted', notPerformed: true, reasonNotPerformed: reasons })).toEqual({
      ...SAME,
      status: 'not-done',
      statusReason: reasons[0],
      extension: [
        extensionOf('dstu2', 'Procedure.reasonNotPerformed', { valueCodeableConcept: reasons[1] ?? null }),
        extensionOf('dstu2', 'Procedure.status', { valueCode: 'aborted' }),
      ],
    });
    expect(stu3({ notDone: true, notDoneReason: reasons[0] ?? null })).toEqual({
      ...SAME,
      status: 'not-done',
      statusReason: reasons[0],
      extension: [extensionOf('stu3', 'Procedure.status', { valueCode: 'completed' })],
    });
    expect(stu3({ notDone: false })).toEqual(SAME);
  });

  it('keeps the status entered-in-error when it was not done', () => {
    expect(stu3({ status: 'entered-in-error', notDone: true })).toEqual({
      ...SAME,
      status: 'entered-in-error',
      modifierExtension: [extensionOf('stu3', 'Procedure.notDone', { valueBoolean: true })],
    });
  });
});
