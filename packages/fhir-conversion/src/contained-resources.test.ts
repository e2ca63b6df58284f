import { convertToR4 } from './index';
import { extensionOf, concept, inR4 } from '../test/in-r4';

const REPORT = {
  resourceType: 'DiagnosticReport',
  status: 'final',
  code: { text: 'x' },
  subject: { reference: 'Patient/1' },
  effectiveDateTime: '2020',
  issued: '2020-01-01T00:00:00Z',
};
const STATEMENT = { resourceType: 'MedicationStatement', status: 'active', medicationReference: { reference: '#m' } };

describe('contained resources', () => {
  it('are converted like other resources, without a tag', () => {
    const observation = { resourceType: 'Observation', id: 'o', status: 'final', code: { text: 'x' }, comments: 'odd' };
    expect(
      inR4('dstu2', {
        ...REPORT,
        performer: { display: 'lab' },
        contained: [observation],
        result: [{ reference: '#o' }],
      }),
    ).toMatchObject({
      contained: [
        { resourceType: 'Observation', id: 'o', status: 'final', code: { text: 'x' }, note: [{ text: 'odd' }] },
      ],
      result: [{ reference: '#o' }],
    });
  });

  it('may be medications of dstu2', () => {
    const medication = {
      resourceType: 'Medication',
      id: 'm',
      code: { text: 'x' },
      isBrand: true,
      product: {
        form: { text: 'tablet' },
        ingredient: [{ item: { reference: 'Substance/1' }, amount: { numerator: { value: 1 } } }],
        batch: [{ lotNumber: 'l' }],
      },
      package: { container: { text: 'box' }, content: [{ item: { reference: '#m' }, amount: { value: 3 } }] },
    };
    expect(
      inR4('dstu2', { ...STATEMENT, patient: { reference: 'Patient/1' }, contained: [medication] })['contained'],
    ).toEqual([
      {
        resourceType: 'Medication',
        id: 'm',
        code: { text: 'x' },
        form: { text: 'tablet' },
        ingredient: [{ itemReference: { reference: 'Substance/1' }, strength: { numerator: { value: 1 } } }],
        batch: { lotNumber: 'l' },
        extension: [
          extensionOf('dstu2', 'Medication.isBrand', { valueBoolean: true }),
          extensionOf('dstu2', 'Medication.package', {
            extension: [
              { url: 'container', valueCodeableConcept: { text: 'box' } },
              {
                url: 'content',
                extension: [
                  { url: 'item', valueReference: { reference: '#m' } },
                  { url: 'amount', valueQuantity: { value: 3 } },
                ],
              },
            ],
          }),
        ],
      },
    ]);
  });

  it('may be medications and practitioners of stu3', () => {
    const medication = {
      resourceType: 'Medication',
      id: 'm',
      status: 'active',
      ingredient: [{ itemCodeableConcept: { text: 'x' }, isActive: true, amount: { numerator: { value: 1 } } }],
    };
    expect(
      inR4('stu3', { ...STATEMENT, taken: 'y', subject: { reference: 'Patient/1' }, contained: [medication] })[
        'contained'
      ],
    ).toEqual([
      {
        resourceType: 'Medication',
        id: 'm',
        status: 'active',
        ingredient: [{ itemCodeableConcept: { text: 'x' }, isActive: true, strength: { numerator: { value: 1 } } }],
      },
    ]);
    const practitioner = {
      resourceType: 'Practitioner',
      id: 'p',
      name: { family: ['X'] },
      practitionerRole: [{ role: { text: 'nurse' } }],
    };
    expect(
      inR4('dstu2', { resourceType: 'Patient', contained: [practitioner], careProvider: [{ reference: '#p' }] })[
        'contained'
      ],
    ).toEqual([
      {
        resourceType: 'Practitioner',
        id: 'p',
        name: [{ family: 'X' }],
        extension: [
          extensionOf('dstu2', 'Practitioner.practitionerRole', {
            extension: [{ url: 'role', valueCodeableConcept: { text: 'nurse' } }],
          }),
        ],
      },
    ]);
  });

  it('become a Basic when R4 does not have the type, and references that may not refer to a Basic are written to extensions', () => {
    const order = {
      resourceType: 'DiagnosticOrder',
      id: 'r',
      subject: { reference: 'Patient/1' },
      status: 'requested',
      item: [{ code: { text: 'x' } }],
    };
    expect(
      inR4('dstu2', {
        ...REPORT,
        performer: { display: 'lab' },
        contained: [order],
        request: [{ reference: '#r' }, { reference: 'DiagnosticOrder/2' }],
      }),
    ).toMatchObject({
      contained: [
        {
          resourceType: 'Basic',
          id: 'r',
          code: concept('http://hl7.org/fhir/resource-types', 'DiagnosticOrder'),
          extension: [
            extensionOf('dstu2', 'DiagnosticOrder.subject', { valueReference: { reference: 'Patient/1' } }),
            extensionOf('dstu2', 'DiagnosticOrder.status', { valueCode: 'requested' }),
            extensionOf('dstu2', 'DiagnosticOrder.item', {
              extension: [{ url: 'code', valueCodeableConcept: { text: 'x' } }],
            }),
          ],
        },
      ],
      basedOn: [{ reference: 'ServiceRequest/2' }],
      extension: [extensionOf('dstu2', 'DiagnosticReport.request', { valueReference: { reference: '#r' } })],
    });
  });

  it('become a Basic without an element that R4 requires, which changes the conversion of references to them', () => {
    const slot = {
      resourceType: 'Slot',
      id: 's',
      schedule: { reference: 'Schedule/1' },
      freeBusyType: 'busy',
      start: '2020-01-01T00:00:00Z',
      end: '2020-01-01T00:00:00Z',
    };
    const appointment = {
      resourceType: 'Appointment',
      id: 'a',
      status: 'booked',
      slot: [{ reference: '#s' }],
      participant: [{ actor: { reference: 'Patient/1' }, status: 'accepted' }],
    };
    const encounter = {
      resourceType: 'Encounter',
      status: 'planned',
      class: 'field',
      appointment: { reference: '#a' },
      contained: [appointment, slot],
    };
    expect(inR4('dstu2', encounter)).toMatchObject({
      appointment: [{ reference: '#a' }],
      contained: [
        {
          resourceType: 'Appointment',
          extension: [extensionOf('dstu2', 'Appointment.slot', { valueReference: { reference: '#s' } })],
        },
        { resourceType: 'Basic', id: 's', code: concept('http://hl7.org/fhir/resource-types', 'Slot') },
      ],
    });
  });

  it('stop the conversion when they are not resources', () => {
    expect(convertToR4('stu3', { resourceType: 'Patient', contained: [{ resourceType: 'Nonsense' }] }).reason).toMatch(
      /no resourceType of its release/,
    );
    expect(convertToR4('stu3', { resourceType: 'Patient', contained: ['x'] })).toHaveProperty('reason');
  });
});
