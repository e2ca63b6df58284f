import { extensionOf, concept, inR4 } from '../../test/in-r4';

const SAME = {
  resourceType: 'DiagnosticReport',
  status: 'final',
  code: { text: 'x' },
  subject: { reference: 'Patient/1' },
  effectiveDateTime: '2020',
  issued: '2020-01-01T00:00:00Z',
};
const KEPT = {
  specimen: [{ reference: 'Specimen/1' }],
  result: [{ reference: 'Observation/1' }],
  conclusion: 'c',
  presentedForm: [{ contentType: 'text/plain', data: 'QUJD', title: 't' }],
};
const IMAGES = { image: [{ comment: 'left', link: { reference: 'Media/1' } }], codedDiagnosis: [{ text: 'd' }] };
const IMAGES_IN_R4 = { media: [{ comment: 'left', link: { reference: 'Media/1' } }], conclusionCode: [{ text: 'd' }] };
const LAB = concept('http://terminology.hl7.org/CodeSystem/v2-0074', 'LAB');

describe('DiagnosticReport', () => {
  it('of dstu2', () => {
    const content = {
      category: concept('http://hl7.org/fhir/v2/0074', 'LAB'),
      encounter: { reference: 'Encounter/1' },
      performer: { reference: 'Organization/1' },
      request: [{ reference: 'DiagnosticOrder/1' }, { reference: 'ReferralRequest/2' }],
      imagingStudy: [{ reference: 'ImagingStudy/1' }, { reference: 'ImagingObjectSelection/2', display: 'all' }],
    };
    expect(inR4('dstu2', { ...SAME, ...KEPT, ...IMAGES, ...content })).toEqual({
      ...SAME,
      ...KEPT,
      ...IMAGES_IN_R4,
      category: [LAB],
      encounter: { reference: 'Encounter/1' },
      performer: [{ reference: 'Organization/1' }],
      basedOn: [{ reference: 'ServiceRequest/1' }, { reference: 'ServiceRequest/2' }],
      imagingStudy: [
        { reference: 'ImagingStudy/1' },
        {
          display: 'all',
          extension: [extensionOf('dstu2', 'Reference.reference', { valueString: 'ImagingObjectSelection/2' })],
        },
      ],
    });
  });

  it('of stu3', () => {
    const content = {
      category: concept('http://hl7.org/fhir/v2/0074', 'LAB'),
      basedOn: [{ reference: 'ProcedureRequest/1' }],
      context: { reference: 'Encounter/1' },
      performer: [
        { role: { text: 'lab' }, actor: { reference: 'Organization/1' } },
        { actor: { reference: 'Practitioner/1' }, extension: [{ url: 'http://example.org/x', valueString: 'y' }] },
      ],
    };
    expect(inR4('stu3', { ...SAME, ...KEPT, ...IMAGES, ...content })).toEqual({
      ...SAME,
      ...KEPT,
      ...IMAGES_IN_R4,
      category: [LAB],
      basedOn: [{ reference: 'ServiceRequest/1' }],
      encounter: { reference: 'Encounter/1' },
      performer: [
        {
          reference: 'Organization/1',
          extension: [
            extensionOf('stu3', 'DiagnosticReport.performer.role', { valueCodeableConcept: { text: 'lab' } }),
          ],
        },
        {
          reference: 'Practitioner/1',
          extension: [
            extensionOf('stu3', 'DiagnosticReport.performer', {
              extension: [{ url: 'http://example.org/x', valueString: 'y' }],
            }),
          ],
        },
      ],
    });
  });

  it.each(['registered', 'partial', 'final', 'corrected', 'appended', 'cancelled', 'entered-in-error'])(
    'keeps the status %s',
    (status) => {
      expect(inR4('dstu2', { ...SAME, performer: { reference: 'Organization/1' }, status })['status']).toBe(status);
      expect(inR4('stu3', { ...SAME, status })['status']).toBe(status);
    },
  );

  it.each(['preliminary', 'amended', 'unknown'])('keeps the status %s of stu3', (status) => {
    expect(inR4('stu3', { ...SAME, status })['status']).toBe(status);
  });
});
