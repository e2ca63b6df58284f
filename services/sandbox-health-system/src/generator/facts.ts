import type { Concept } from './codes/concept';
import type { Measurement } from './codes/measurements';

/** An item of a record, independent of the FHIR release. */
export interface Fact {
  id: string;
  /** When it was recorded. */
  recorded: Date;
}

export interface HumanName {
  family: string;
  given: string[];
  prefix?: string;
}

export interface PostalAddress {
  line: string;
  city: string;
  state: string;
  postalCode: string;
}

export interface PatientFact extends Fact {
  name: HumanName;
  gender: 'female' | 'male' | 'other' | 'unknown';
  /** `YYYY-MM-DD` */
  birthDate: string;
  address: PostalAddress;
  phone: string;
  recordNumber: string;
  married: boolean;
  practitionerId: string;
  organizationId: string;
}

export interface RelatedPersonFact extends Fact {
  name: HumanName;
  gender: 'female' | 'male';
  relationship: { code: string; display: string };
  phone: string;
}

export interface OrganizationFact extends Fact {
  name: string;
  address: PostalAddress;
  phone: string;
}

export interface LocationFact extends Fact {
  name: string;
  organizationId: string;
  address: PostalAddress;
}

export interface PractitionerFact extends Fact {
  name: HumanName;
  gender: 'female' | 'male';
  npi: string;
  organizationId: string;
}

export interface MedicationFact extends Fact {
  code: Concept;
}

export interface EncounterFact extends Fact {
  kind: 'ambulatory' | 'emergency' | 'inpatient';
  type: Concept;
  reason?: Concept;
  start: Date;
  end: Date;
  practitionerId: string;
  organizationId: string;
  locationId: string;
}

/** An item that belongs to an encounter. */
export interface EncounteredFact extends Fact {
  encounterId: string;
  practitionerId: string;
  at: Date;
}

/** The members that every item of an encounter has. */
export function atEncounter({ id: encounterId, recorded, practitionerId, start: at }: EncounterFact) {
  return { encounterId, recorded, practitionerId, at };
}

export interface MeasuredValue {
  measurement: Measurement;
  value: number;
}

export interface ObservationFact extends EncounteredFact {
  category: 'vital-signs' | 'laboratory' | 'social-history';
  code: Concept;
  measured?: MeasuredValue;
  answer?: Concept;
  components?: MeasuredValue[];
}

export interface ConditionFact extends EncounteredFact {
  code: Concept;
  resolved?: Date;
}

export interface AllergyFact extends Fact {
  code: Concept;
  category: 'food' | 'medication' | 'environment';
  manifestation: Concept;
  severe: boolean;
  practitionerId: string;
}

export interface ProcedureFact extends EncounteredFact {
  code: Concept;
  end: Date;
}

export interface PrescriptionFact extends EncounteredFact {
  medication: { code: Concept } | { id: string; display: string };
  dosage: string;
  reason?: Concept;
  days: number;
  refills: number;
  active: boolean;
}

export interface MedicationStatementFact extends Fact {
  code: Concept;
  since: Date;
  asserted: Date;
}

export interface ImmunizationFact extends EncounteredFact {
  code: Concept;
  lot: string;
  expires: Date;
  locationId: string;
}

export interface ReportFact extends EncounteredFact {
  code: Concept;
  observationIds: string[];
}

export interface DocumentFact extends EncounteredFact {
  type: Concept;
  title: string;
  organizationId: string;
  binaryId: string;
  contentType: string;
  content: string;
}

/** The whole record of one person, independent of the FHIR release. */
export interface History {
  patient: PatientFact;
  relatedPersons: RelatedPersonFact[];
  organizations: OrganizationFact[];
  locations: LocationFact[];
  practitioners: PractitionerFact[];
  medications: MedicationFact[];
  encounters: EncounterFact[];
  observations: ObservationFact[];
  conditions: ConditionFact[];
  allergies: AllergyFact[];
  procedures: ProcedureFact[];
  prescriptions: PrescriptionFact[];
  medicationStatements: MedicationStatementFact[];
  immunizations: ImmunizationFact[];
  reports: ReportFact[];
  documents: DocumentFact[];
}
