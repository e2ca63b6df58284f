import type * as R2 from 'fhir/r2';
import type * as R3 from 'fhir/r3';
import type * as R4 from 'fhir/r4';
import type { Release } from '../../releases';
import type { ImmunizationFact, ProcedureFact } from '../facts';
import { codeable, date, dateTime, meta, reference } from './elements';

/** A Procedure. */
export function procedure(fact: ProcedureFact, patientId: string, release: Release): object {
  const encounter = reference('Encounter', fact.encounterId);
  const common = {
    resourceType: 'Procedure' as const,
    id: fact.id,
    meta: meta(fact),
    status: 'completed' as const,
    code: codeable(fact.code),
    subject: reference('Patient', patientId),
    performedPeriod: { start: dateTime(fact.at), end: dateTime(fact.end) },
    performer: [{ actor: reference('Practitioner', fact.practitionerId) }],
  };
  if (release === 'dstu2') return { ...common, encounter } satisfies R2.Procedure;
  if (release === 'stu3') return { ...common, context: encounter } satisfies R3.Procedure;
  return { ...common, encounter } satisfies R4.Procedure;
}

/** An Immunization. */
export function immunization(fact: ImmunizationFact, patientId: string, release: Release): object {
  const actor = reference('Practitioner', fact.practitionerId);
  const common = {
    resourceType: 'Immunization' as const,
    id: fact.id,
    meta: meta(fact),
    status: 'completed' as const,
    vaccineCode: codeable(fact.code),
    patient: reference('Patient', patientId),
    encounter: reference('Encounter', fact.encounterId),
    location: reference('Location', fact.locationId),
    lotNumber: fact.lot,
    expirationDate: date(fact.expires),
  };
  const at = dateTime(fact.at);
  if (release === 'dstu2')
    return { ...common, date: at, wasNotGiven: false, reported: false, performer: actor } satisfies R2.Immunization;
  if (release === 'stu3')
    return {
      ...common,
      date: at,
      notGiven: false,
      primarySource: true,
      practitioner: [{ actor }],
    } satisfies R3.Immunization;
  return { ...common, occurrenceDateTime: at, primarySource: true, performer: [{ actor }] } satisfies R4.Immunization;
}
