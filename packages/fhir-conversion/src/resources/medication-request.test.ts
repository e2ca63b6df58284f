import { convertToR4 } from '../index';
import { extensionOf, inR4, UNKNOWN } from '../../test/in-r4';

const MEDICATION = { medicationCodeableConcept: { text: 'x' } };

describe('MedicationRequest', () => {
  it('from the MedicationOrder of dstu2', () => {
    expect(
      inR4('dstu2', {
        resourceType: 'MedicationOrder',
        id: 'm-1',
        identifier: [{ value: '1' }],
        dateWritten: '2020',
        status: 'stopped',
        dateEnded: '2021',
        reasonEnded: { text: 'rash' },
        patient: { reference: 'Patient/1' },
        prescriber: { reference: 'Practitioner/1' },
        encounter: { reference: 'Encounter/1' },
        reasonReference: { reference: 'Condition/1' },
        note: 'odd',
        medicationReference: { reference: 'Medication/1' },
        dosageInstruction: [
          {
            text: 'one a day',
            additionalInstructions: { text: 'with food' },
            timing: {
              repeat: {
                boundsQuantity: { value: 5, code: 'd', system: 'http://unitsofmeasure.org' },
                frequency: 1,
                period: 1,
                periodUnits: 'd',
                when: 'AC',
              },
            },
            asNeededBoolean: false,
            siteCodeableConcept: { text: 'mouth' },
            route: { text: 'oral' },
            doseQuantity: { value: 1 },
            rateRatio: { numerator: { value: 1 }, denominator: { value: 2 } },
            maxDosePerPeriod: { numerator: { value: 1 } },
          },
          { siteReference: { reference: 'BodySite/1' } },
        ],
        dispenseRequest: {
          medicationCodeableConcept: { text: 'y' },
          validityPeriod: { start: '2020' },
          numberOfRepeatsAllowed: 2,
          quantity: { value: 10 },
          expectedSupplyDuration: { value: 3, code: 'd', system: 'http://unitsofmeasure.org' },
        },
        substitution: { type: { text: 'generic' }, reason: { text: 'price' } },
        priorPrescription: { reference: 'MedicationOrder/0' },
      }),
    ).toEqual({
      resourceType: 'MedicationRequest',
      id: 'm-1',
      identifier: [{ value: '1' }],
      authoredOn: '2020',
      status: 'stopped',
      intent: 'order',
      extension: [extensionOf('dstu2', 'MedicationOrder.dateEnded', { valueDateTime: '2021' })],
      statusReason: { text: 'rash' },
      subject: { reference: 'Patient/1' },
      requester: { reference: 'Practitioner/1' },
      encounter: { reference: 'Encounter/1' },
      reasonReference: [{ reference: 'Condition/1' }],
      note: [{ text: 'odd' }],
      medicationReference: { reference: 'Medication/1' },
      dosageInstruction: [
        {
          text: 'one a day',
          additionalInstruction: [{ text: 'with food' }],
          timing: {
            repeat: {
              boundsDuration: { value: 5, code: 'd', system: 'http://unitsofmeasure.org' },
              frequency: 1,
              period: 1,
              periodUnit: 'd',
              when: ['AC'],
            },
          },
          asNeededBoolean: false,
          site: { text: 'mouth' },
          route: { text: 'oral' },
          doseAndRate: [
            { doseQuantity: { value: 1 }, rateRatio: { numerator: { value: 1 }, denominator: { value: 2 } } },
          ],
          maxDosePerPeriod: { numerator: { value: 1 } },
        },
        {
          extension: [
            extensionOf('dstu2', 'MedicationOrder.dosageInstruction.site', {
              valueReference: { reference: 'BodyStructure/1' },
            }),
          ],
        },
      ],
      dispenseRequest: {
        extension: [
          extensionOf('dstu2', 'MedicationOrder.dispenseRequest.medication', { valueCodeableConcept: { text: 'y' } }),
        ],
        validityPeriod: { start: '2020' },
        numberOfRepeatsAllowed: 2,
        quantity: { value: 10 },
        expectedSupplyDuration: { value: 3, code: 'd', system: 'http://unitsofmeasure.org' },
      },
      substitution: { allowedCodeableConcept: { text: 'generic' }, reason: { text: 'price' } },
      priorPrescription: { reference: 'MedicationRequest/0' },
    });
  });

  it.each(['active', 'on-hold', 'completed', 'entered-in-error', 'stopped', 'draft'])(
    'keeps the status %s',
    (status) => {
      expect(inR4('dstu2', { resourceType: 'MedicationOrder', ...MEDICATION, status })['status']).toBe(status);
      expect(
        inR4('stu3', {
          resourceType: 'MedicationRequest',
          ...MEDICATION,
          subject: { reference: 'Patient/1' },
          intent: 'order',
          status,
        })['status'],
      ).toBe(status);
    },
  );

  it('has the values that R4 requires and earlier releases do not', () => {
    expect(inR4('dstu2', { resourceType: 'MedicationOrder', ...MEDICATION })).toEqual({
      resourceType: 'MedicationRequest',
      ...MEDICATION,
      status: 'unknown',
      intent: 'order',
      subject: UNKNOWN,
    });
    const stu3 = {
      resourceType: 'MedicationRequest',
      ...MEDICATION,
      intent: 'plan',
      subject: { reference: 'Patient/1' },
    };
    expect(inR4('stu3', stu3)).toEqual({ ...stu3, status: 'unknown' });
  });

  it('from the MedicationRequest of stu3', () => {
    const kept = {
      resourceType: 'MedicationRequest',
      ...MEDICATION,
      groupIdentifier: { value: 'g' },
      status: 'active',
      intent: 'instance-order',
      priority: 'stat',
      subject: { reference: 'Patient/1' },
      supportingInformation: [{ reference: 'Observation/1' }],
      authoredOn: '2020',
      recorder: { reference: 'Practitioner/2' },
      reasonCode: [{ text: 'why' }],
      note: [{ text: 'odd' }],
      substitution: { allowedBoolean: false },
      dispenseRequest: { performer: { reference: 'Organization/2' } },
      detectedIssue: [{ reference: 'DetectedIssue/1' }],
      eventHistory: [{ reference: 'Provenance/1' }],
    };
    const { substitution: _substitution, ...withoutSubstitution } = kept;
    expect(
      inR4('stu3', {
        ...withoutSubstitution,
        substitution: { allowed: false },
        definition: [{ reference: 'http://example.org/PlanDefinition/1' }],
        category: { text: 'inpatient' },
        context: { reference: 'Encounter/1' },
        requester: {
          id: 'r',
          agent: { reference: 'Practitioner/1', display: 'Dr X' },
          onBehalfOf: { reference: 'Organization/1' },
        },
        dosageInstruction: [
          {
            sequence: 1,
            doseRange: { low: { value: 1 } },
            rateQuantity: { value: 2 },
            maxDosePerLifetime: { value: 9 },
          },
        ],
      }),
    ).toEqual({
      ...kept,
      instantiatesCanonical: ['http://example.org/PlanDefinition/1'],
      category: [{ text: 'inpatient' }],
      encounter: { reference: 'Encounter/1' },
      requester: {
        reference: 'Practitioner/1',
        display: 'Dr X',
        extension: [
          extensionOf('stu3', 'MedicationRequest.requester.onBehalfOf', {
            valueReference: { reference: 'Organization/1' },
          }),
        ],
      },
      dosageInstruction: [
        {
          sequence: 1,
          doseAndRate: [{ doseRange: { low: { value: 1 } }, rateQuantity: { value: 2 } }],
          maxDosePerLifetime: { value: 9 },
        },
      ],
    });
  });

  it('writes elements that R4 does not have to extensions', () => {
    const timing = { repeat: { count: 0, frequency: 2 } };
    expect(
      inR4('stu3', {
        resourceType: 'MedicationRequest',
        ...MEDICATION,
        status: 'active',
        intent: 'order',
        subject: { reference: 'Patient/1' },
        dosageInstruction: [{ timing }],
      })['dosageInstruction'],
    ).toEqual([
      {
        timing: {
          repeat: { frequency: 2, extension: [extensionOf('stu3', 'Timing.repeat.count', { valueInteger: 0 })] },
        },
      },
    ]);
  });

  it('has a tag with its source release, and keeps its version', () => {
    const meta = {
      versionId: '3',
      lastUpdated: '2020-01-01T00:00:00Z',
      profile: ['http://example.org/p'],
      tag: [{ system: 'urn:x', code: 'y' }],
    };
    const { resource } = convertToR4('dstu2', { resourceType: 'MedicationOrder', ...MEDICATION, meta });
    expect(resource?.meta).toEqual({
      ...meta,
      tag: [
        { system: 'urn:x', code: 'y' },
        {
          system: 'https://tributary.dev/fhir/CodeSystem/conversion',
          code: 'converted-from-dstu2',
          display: 'Converted from FHIR DSTU2 (1.0.2)',
        },
      ],
    });
    expect(convertToR4('stu3', { resourceType: 'Patient', active: true }).resource?.meta).toEqual({
      tag: [
        {
          system: 'https://tributary.dev/fhir/CodeSystem/conversion',
          code: 'converted-from-stu3',
          display: 'Converted from FHIR STU3 (3.0.1)',
        },
      ],
    });
  });
});
