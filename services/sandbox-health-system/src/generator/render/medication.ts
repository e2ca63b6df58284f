import type * as R2 from 'fhir/r2';
import type * as R3 from 'fhir/r3';
import type * as R4 from 'fhir/r4';
import type { Release } from '../../releases';
import type { MedicationFact, MedicationStatementFact, PrescriptionFact } from '../facts';
import { codeable, dateTime, meta, reference } from './elements';

/** A Medication that prescriptions refer to. */
export function medication(fact: MedicationFact): R2.Medication & R3.Medication & R4.Medication {
  return { resourceType: 'Medication', id: fact.id, meta: meta(fact), code: codeable(fact.code) };
}

/** A prescription: MedicationOrder in DSTU2, MedicationRequest since STU3. */
export function prescription(fact: PrescriptionFact, patientId: string, release: Release): object {
  const patient = reference('Patient', patientId);
  const encounter = reference('Encounter', fact.encounterId);
  const prescriber = reference('Practitioner', fact.practitionerId);
  const status = fact.active ? 'active' : 'completed';
  const reason = fact.reason && codeable(fact.reason);
  const common = {
    id: fact.id,
    meta: meta(fact),
    ...('code' in fact.medication
      ? { medicationCodeableConcept: codeable(fact.medication.code) }
      : { medicationReference: reference('Medication', fact.medication.id, fact.medication.display) }),
    dosageInstruction: [{ text: fact.dosage }],
    dispenseRequest: {
      ...(fact.refills > 0 ? { numberOfRepeatsAllowed: fact.refills } : {}),
      quantity: { value: fact.days, unit: 'each' },
      expectedSupplyDuration: { value: fact.days, unit: 'days', system: 'http://unitsofmeasure.org', code: 'd' },
    },
  };
  if (release === 'dstu2') {
    return {
      resourceType: 'MedicationOrder',
      ...common,
      status,
      patient,
      encounter,
      prescriber,
      dateWritten: dateTime(fact.at),
      ...(reason ? { reasonCodeableConcept: reason } : {}),
    } satisfies R2.MedicationOrder;
  }
  const since = {
    resourceType: 'MedicationRequest' as const,
    ...common,
    status,
    subject: patient,
    intent: 'order',
    authoredOn: dateTime(fact.at),
    ...(reason ? { reasonCode: [reason] } : {}),
  } as const;
  if (release === 'stu3')
    return {
      ...since,
      ...(reason ? { reasonCode: [reason] } : {}),
      context: encounter,
      requester: { agent: prescriber },
    } satisfies R3.MedicationRequest;
  return {
    ...since,
    ...(reason ? { reasonCode: [reason] } : {}),
    encounter,
    requester: prescriber,
  } satisfies R4.MedicationRequest;
}

/** A MedicationStatement of the patient. */
export function medicationStatement(fact: MedicationStatementFact, patientId: string, release: Release): object {
  const patient = reference('Patient', patientId);
  const common = {
    resourceType: 'MedicationStatement' as const,
    id: fact.id,
    meta: meta(fact),
    status: 'active' as const,
    medicationCodeableConcept: codeable(fact.code),
    effectivePeriod: { start: dateTime(fact.since) },
    dateAsserted: dateTime(fact.asserted),
    informationSource: patient,
    dosage: [{ text: 'Taken as needed' }],
  };
  if (release === 'dstu2') return { ...common, patient } satisfies R2.MedicationStatement;
  if (release === 'stu3') return { ...common, subject: patient, taken: 'y' } satisfies R3.MedicationStatement;
  return { ...common, subject: patient } satisfies R4.MedicationStatement;
}
