import type { JsonObject } from '@tributary/fhir-json';
import { extensionOf, concept, inR4 } from '../../test/in-r4';

const KEPT = {
  resourceType: 'DocumentReference',
  masterIdentifier: { system: 'urn:x', value: '1' },
  status: 'current',
  type: { text: 't' },
  subject: { reference: 'Patient/1' },
  author: [{ reference: 'Practitioner/1' }],
  authenticator: { reference: 'Practitioner/1' },
  custodian: { reference: 'Organization/1' },
  relatesTo: [{ code: 'appends', target: { reference: 'DocumentReference/0' } }],
  description: 'd',
  securityLabel: [{ text: 's' }],
};
const INDEXED = '2020-01-01T00:00:00Z';
const ATTACHMENT = { contentType: 'text/plain', data: 'QUJD', hash: 'QUJD', creation: '2020' };

const dstu2 = (content: JsonObject): JsonObject =>
  inR4('dstu2', { ...KEPT, indexed: INDEXED, content: [{ attachment: ATTACHMENT }], ...content });
const stu3 = (content: JsonObject): JsonObject =>
  inR4('stu3', { ...KEPT, indexed: INDEXED, content: [{ attachment: ATTACHMENT }], ...content });

describe('DocumentReference', () => {
  it.each([
    ['dstu2', dstu2],
    ['stu3', stu3],
  ] as const)('of %s', (release, convert) => {
    const context = {
      encounter: { reference: 'Encounter/1' },
      event: [{ text: 'e' }],
      period: { start: '2020' },
      facilityType: { text: 'f' },
      practiceSetting: { text: 'p' },
      sourcePatientInfo: { reference: 'Patient/2' },
    };
    const related = [
      { identifier: { value: 'i' }, ref: { reference: 'Observation/1' } },
      { identifier: { value: 'j' } },
    ];
    expect(convert({ class: { text: 'c' }, created: '2019', context: { ...context, related } })).toEqual({
      ...KEPT,
      date: INDEXED,
      content: [{ attachment: ATTACHMENT }],
      category: [{ text: 'c' }],
      extension: [extensionOf(release, 'DocumentReference.created', { valueDateTime: '2019' })],
      context: {
        ...context,
        encounter: [{ reference: 'Encounter/1' }],
        related: [{ identifier: { value: 'i' }, reference: 'Observation/1' }, { identifier: { value: 'j' } }],
      },
    });
  });

  it('has one format in R4; others are written to extensions', () => {
    const format = [
      { system: 'urn:x', code: 'a' },
      { system: 'urn:x', code: 'b' },
    ];
    expect(dstu2({ content: [{ attachment: ATTACHMENT, format }] })['content']).toEqual([
      {
        attachment: ATTACHMENT,
        format: format[0],
        extension: [extensionOf('dstu2', 'DocumentReference.content.format', { valueCoding: format[1] ?? null })],
      },
    ]);
  });

  it.each(['preliminary', 'final', 'amended', 'entered-in-error'])(
    'has the code %s for the concept of dstu2',
    (code) => {
      expect(dstu2({ docStatus: concept('http://hl7.org/fhir/composition-status', code) })).toEqual({
        ...KEPT,
        date: INDEXED,
        content: [{ attachment: ATTACHMENT }],
        docStatus: code,
      });
      expect(stu3({ docStatus: code })['docStatus']).toBe(code);
    },
  );

  it('writes a document status with more than a code to an extension', () => {
    const more = { ...concept('http://hl7.org/fhir/composition-status', 'final'), text: 'really final' };
    expect(dstu2({ docStatus: more })).toMatchObject({
      docStatus: 'final',
      extension: [extensionOf('dstu2', 'DocumentReference.docStatus', { valueCodeableConcept: more })],
    });
    const other = { text: 'draft' };
    const converted = dstu2({ docStatus: other });
    expect(converted['docStatus']).toBeUndefined();
    expect(converted['extension']).toEqual([
      extensionOf('dstu2', 'DocumentReference.docStatus', { valueCodeableConcept: other }),
    ]);
  });
});
