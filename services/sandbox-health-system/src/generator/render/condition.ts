import type * as R2 from 'fhir/r2';
import type * as R3 from 'fhir/r3';
import type * as R4 from 'fhir/r4';
import type { Release } from '../../releases';
import type { AllergyFact, ConditionFact } from '../facts';
import { codeable, coded, date, dateTime, hl7System, meta, reference } from './elements';

/** A Condition. */
export function condition(fact: ConditionFact, patientId: string, release: Release): object {
  const patient = reference('Patient', patientId);
  const encounter = reference('Encounter', fact.encounterId);
  const asserter = reference('Practitioner', fact.practitionerId);
  const status = fact.resolved ? 'resolved' : 'active';
  const common = {
    resourceType: 'Condition' as const,
    id: fact.id,
    meta: meta(fact),
    code: codeable(fact.code),
    asserter,
    onsetDateTime: dateTime(fact.at),
    ...(fact.resolved ? { abatementDateTime: dateTime(fact.resolved) } : {}),
  };
  if (release === 'dstu2') {
    const category = coded('http://hl7.org/fhir/condition-category', 'diagnosis', 'Diagnosis');
    return {
      ...common,
      patient,
      encounter,
      category,
      clinicalStatus: status,
      verificationStatus: 'confirmed',
      dateRecorded: date(fact.at),
    } satisfies R2.Condition;
  }
  const category = [coded(hl7System(release, 'condition-category'), 'encounter-diagnosis', 'Encounter Diagnosis')];
  if (release === 'stu3') {
    return {
      ...common,
      subject: patient,
      context: encounter,
      category,
      clinicalStatus: status,
      verificationStatus: 'confirmed',
      assertedDate: dateTime(fact.at),
    } satisfies R3.Condition;
  }
  return {
    ...common,
    subject: patient,
    encounter,
    category,
    clinicalStatus: coded(hl7System(release, 'condition-clinical'), status, fact.resolved ? 'Resolved' : 'Active'),
    verificationStatus: coded(hl7System(release, 'condition-ver-status'), 'confirmed', 'Confirmed'),
    recordedDate: dateTime(fact.at),
  } satisfies R4.Condition;
}

/** An AllergyIntolerance. */
export function allergyIntolerance(fact: AllergyFact, patientId: string, release: Release): object {
  const patient = reference('Patient', patientId);
  const recorder = reference('Practitioner', fact.practitionerId);
  const common = {
    resourceType: 'AllergyIntolerance' as const,
    id: fact.id,
    meta: meta(fact),
    patient,
    recorder,
    type: 'allergy' as const,
    reaction: [
      {
        manifestation: [codeable(fact.manifestation)],
        severity: fact.severe ? ('severe' as const) : ('mild' as const),
      },
    ],
  };
  const criticality = fact.severe ? 'high' : 'low';
  const recorded = dateTime(fact.recorded);
  if (release === 'dstu2') {
    const { category, code, severe } = fact;
    return {
      ...common,
      category,
      substance: codeable(code),
      status: 'confirmed',
      criticality: severe ? 'CRITH' : 'CRITL',
      recordedDate: recorded,
    } satisfies R2.AllergyIntolerance;
  }
  const since = { ...common, category: [fact.category], code: codeable(fact.code), criticality } as const;
  if (release === 'stu3') {
    return {
      ...since,
      category: [fact.category],
      clinicalStatus: 'active',
      verificationStatus: 'confirmed',
      assertedDate: recorded,
    } satisfies R3.AllergyIntolerance;
  }
  return {
    ...since,
    category: [fact.category],
    clinicalStatus: coded(hl7System(release, 'allergyintolerance-clinical'), 'active', 'Active'),
    verificationStatus: coded(hl7System(release, 'allergyintolerance-verification'), 'confirmed', 'Confirmed'),
    recordedDate: recorded,
  } satisfies R4.AllergyIntolerance;
}
