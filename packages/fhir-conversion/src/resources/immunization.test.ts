import type { JsonObject } from '@tributary/fhir-json';
import { convertToR4 } from '../index';
import { extensionOf, inR4, UNKNOWN } from '../../test/in-r4';

const SAME = {
  resourceType: 'Immunization',
  status: 'completed',
  vaccineCode: { text: 'x' },
  patient: { reference: 'Patient/1' },
};
const KEPT = {
  encounter: { reference: 'Encounter/1' },
  manufacturer: { reference: 'Organization/1' },
  location: { reference: 'Location/1' },
  lotNumber: 'l',
  expirationDate: '2021-01-01',
  site: { text: 'arm' },
  route: { text: 'im' },
  doseQuantity: { value: 1 },
  note: [{ text: 'odd' }],
  reaction: [{ date: '2020', detail: { reference: 'Observation/1' }, reported: true }],
};
const FUNCTIONS = 'http://terminology.hl7.org/CodeSystem/v2-0443';

const dstu2 = (content: JsonObject): JsonObject =>
  inR4('dstu2', { ...SAME, wasNotGiven: false, reported: false, date: '2020', ...content });
const stu3 = (content: JsonObject): JsonObject =>
  inR4('stu3', { ...SAME, notGiven: false, primarySource: true, date: '2020', ...content });

describe('Immunization', () => {
  it('of dstu2', () => {
    const content = {
      reported: true,
      performer: { reference: 'Practitioner/1' },
      requester: { reference: 'Practitioner/2' },
      explanation: { reason: [{ text: 'why' }] },
      vaccinationProtocol: [
        {
          doseSequence: 1,
          description: 'd',
          authority: { reference: 'Organization/2' },
          series: 's',
          seriesDoses: 3,
          targetDisease: [{ text: 'flu' }],
          doseStatus: { text: 'counts' },
          doseStatusReason: { text: 'r' },
        },
      ],
    };
    expect(dstu2({ ...KEPT, ...content })).toEqual({
      ...SAME,
      ...KEPT,
      occurrenceDateTime: '2020',
      primarySource: false,
      performer: [
        {
          function: { coding: [{ system: FUNCTIONS, code: 'AP', display: 'Administering Provider' }] },
          actor: { reference: 'Practitioner/1' },
        },
        {
          function: { coding: [{ system: FUNCTIONS, code: 'OP', display: 'Ordering Provider' }] },
          actor: { reference: 'Practitioner/2' },
        },
      ],
      reasonCode: [{ text: 'why' }],
      protocolApplied: [
        {
          doseNumberPositiveInt: 1,
          authority: { reference: 'Organization/2' },
          series: 's',
          seriesDosesPositiveInt: 3,
          targetDisease: [{ text: 'flu' }],
          extension: [
            extensionOf('dstu2', 'Immunization.vaccinationProtocol.description', { valueString: 'd' }),
            extensionOf('dstu2', 'Immunization.vaccinationProtocol.doseStatus', {
              valueCodeableConcept: { text: 'counts' },
            }),
            extensionOf('dstu2', 'Immunization.vaccinationProtocol.doseStatusReason', {
              valueCodeableConcept: { text: 'r' },
            }),
          ],
        },
      ],
    });
  });

  it('of stu3', () => {
    const content = {
      reportOrigin: { text: 'card' },
      practitioner: [{ role: { text: 'giver' }, actor: { reference: 'Practitioner/1' } }],
      vaccinationProtocol: [{ targetDisease: [{ text: 'flu' }], doseStatus: { text: 'counts' } }],
    };
    expect(stu3({ ...KEPT, ...content })).toEqual({
      ...SAME,
      ...KEPT,
      occurrenceDateTime: '2020',
      primarySource: true,
      reportOrigin: { text: 'card' },
      performer: [{ function: { text: 'giver' }, actor: { reference: 'Practitioner/1' } }],
      protocolApplied: [
        {
          _doseNumberPositiveInt: UNKNOWN,
          targetDisease: [{ text: 'flu' }],
          extension: [
            extensionOf('stu3', 'Immunization.vaccinationProtocol.doseStatus', {
              valueCodeableConcept: { text: 'counts' },
            }),
          ],
        },
      ],
    });
  });

  it('has the status not-done and a reason when it was not given', () => {
    const explanation = {
      reasonNotGiven: [{ text: 'a' }, { text: 'b' }],
      extension: [{ url: 'http://example.org/x', valueString: 'y' }],
    };
    const expected = (release: 'dstu2' | 'stu3'): JsonObject => ({
      status: 'not-done',
      statusReason: { text: 'a' },
      extension: [
        extensionOf(release, 'Immunization.explanation.reasonNotGiven', { valueCodeableConcept: { text: 'b' } }),
        extensionOf(release, 'Immunization.explanation', { extension: explanation.extension }),
        extensionOf(release, 'Immunization.status', { valueCode: 'completed' }),
      ],
    });
    expect(dstu2({ wasNotGiven: true, explanation })).toMatchObject(expected('dstu2'));
    expect(stu3({ notGiven: true, explanation })).toMatchObject(expected('stu3'));
  });

  it('keeps the status entered-in-error when it was not given', () => {
    expect(stu3({ status: 'entered-in-error', notGiven: true })).toMatchObject({
      status: 'entered-in-error',
      modifierExtension: [extensionOf('stu3', 'Immunization.notGiven', { valueBoolean: true })],
    });
  });

  it('has an unknown time when the source has none', () => {
    const { date: _date, ...withoutDate } = { ...SAME, notGiven: false, primarySource: true, date: '2020' };
    expect(inR4('stu3', withoutDate)).toEqual({ ...SAME, primarySource: true, _occurrenceDateTime: UNKNOWN });
  });

  it.each(['in-progress', 'on-hold', 'stopped'])('cannot be %s in R4', (status) => {
    expect(convertToR4('dstu2', { ...SAME, status, wasNotGiven: false, reported: false })).toEqual({
      reason: 'R4 requires Immunization.status, and the resource has no value for it that R4 allows.',
    });
  });
});
