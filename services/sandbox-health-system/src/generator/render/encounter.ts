import type * as R2 from 'fhir/r2';
import type * as R3 from 'fhir/r3';
import type * as R4 from 'fhir/r4';
import type { Release } from '../../releases';
import type { EncounterFact } from '../facts';
import { codeable, dateTime, hl7VersionSystem, meta, reference } from './elements';

const classes = {
  ambulatory: { dstu2: 'ambulatory', code: 'AMB', display: 'ambulatory' },
  emergency: { dstu2: 'emergency', code: 'EMER', display: 'emergency' },
  inpatient: { dstu2: 'inpatient', code: 'IMP', display: 'inpatient encounter' },
} as const;

/** An Encounter. */
export function encounter(fact: EncounterFact, patientId: string, release: Release): object {
  const common = {
    resourceType: 'Encounter' as const,
    id: fact.id,
    meta: meta(fact),
    status: 'finished' as const,
    type: [codeable(fact.type)],
    participant: [{ individual: reference('Practitioner', fact.practitionerId) }],
    period: { start: dateTime(fact.start), end: dateTime(fact.end) },
    location: [{ location: reference('Location', fact.locationId) }],
    serviceProvider: reference('Organization', fact.organizationId),
  };
  const subject = reference('Patient', patientId);
  const reasons = fact.reason ? [codeable(fact.reason)] : undefined;
  const { dstu2, code, display } = classes[fact.kind];
  if (release === 'dstu2')
    return {
      ...common,
      class: dstu2,
      patient: subject,
      ...(reasons ? { reason: reasons } : {}),
    } satisfies R2.Encounter;
  const coding = { system: hl7VersionSystem(release, 'v3', 'ActCode'), code, display };
  if (release === 'stu3')
    return { ...common, class: coding, subject, ...(reasons ? { reason: reasons } : {}) } satisfies R3.Encounter;
  return { ...common, class: coding, subject, ...(reasons ? { reasonCode: reasons } : {}) } satisfies R4.Encounter;
}
