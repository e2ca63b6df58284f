import type * as R2 from 'fhir/r2';
import type * as R3 from 'fhir/r3';
import type * as R4 from 'fhir/r4';
import type { Release } from '../../releases';
import type { ObservationFact, ReportFact } from '../facts';
import { codeable, coded, dateTime, hl7System, hl7VersionSystem, meta, quantity, range, reference } from './elements';

const categoryNames = { 'vital-signs': 'Vital Signs', laboratory: 'Laboratory', 'social-history': 'Social History' };

/** An Observation. */
export function observation(fact: ObservationFact, patientId: string, release: Release): object {
  const category = coded(hl7System(release, 'observation-category'), fact.category, categoryNames[fact.category]);
  const common = {
    resourceType: 'Observation' as const,
    id: fact.id,
    meta: meta(fact),
    status: 'final' as const,
    code: codeable(fact.code),
    subject: reference('Patient', patientId),
    effectiveDateTime: dateTime(fact.at),
    issued: fact.at.toISOString(),
    performer: [reference('Practitioner', fact.practitionerId)],
    ...(fact.answer ? { valueCodeableConcept: codeable(fact.answer) } : {}),
    ...(fact.measured ? { valueQuantity: quantity(fact.measured) } : {}),
    ...(fact.measured && fact.category === 'laboratory' ? { referenceRange: [range(fact.measured)] } : {}),
    ...(fact.components
      ? {
          component: fact.components.map((measured) => ({
            code: codeable(measured.measurement.code),
            valueQuantity: quantity(measured),
          })),
        }
      : {}),
  };
  const encounter = reference('Encounter', fact.encounterId);
  if (release === 'dstu2') return { ...common, category, encounter } satisfies R2.Observation;
  if (release === 'stu3') return { ...common, category: [category], context: encounter } satisfies R3.Observation;
  return { ...common, category: [category], encounter } satisfies R4.Observation;
}

/** A DiagnosticReport of a laboratory panel. */
export function diagnosticReport(fact: ReportFact, patientId: string, release: Release): object {
  const category = coded(hl7VersionSystem(release, 'v2', '0074'), 'LAB', 'Laboratory');
  const performer = reference('Practitioner', fact.practitionerId);
  const encounter = reference('Encounter', fact.encounterId);
  const common = {
    resourceType: 'DiagnosticReport' as const,
    id: fact.id,
    meta: meta(fact),
    status: 'final' as const,
    code: codeable(fact.code),
    subject: reference('Patient', patientId),
    effectiveDateTime: dateTime(fact.at),
    issued: fact.at.toISOString(),
    result: fact.observationIds.map((id) => reference('Observation', id)),
  };
  if (release === 'dstu2') return { ...common, category, encounter, performer } satisfies R2.DiagnosticReport;
  if (release === 'stu3')
    return { ...common, category, context: encounter, performer: [{ actor: performer }] } satisfies R3.DiagnosticReport;
  return { ...common, category: [category], encounter, performer: [performer] } satisfies R4.DiagnosticReport;
}
