import type * as R2 from 'fhir/r2';
import type * as R3 from 'fhir/r3';
import type * as R4 from 'fhir/r4';
import type { Release } from '../../releases';
import type { PatientFact, PractitionerFact, RelatedPersonFact } from '../facts';
import { address, coded, dstu2Name, hl7System, hl7VersionSystem, meta, name, phone, reference } from './elements';

/** The Patient. */
export function patient(fact: PatientFact, release: Release): object {
  const common = {
    resourceType: 'Patient' as const,
    id: fact.id,
    meta: meta(fact),
    identifier: [
      {
        use: 'usual' as const,
        type: coded(hl7VersionSystem(release, 'v2', '0203'), 'MR', 'Medical record number'),
        system: 'urn:oid:2.16.840.1.113883.19.5',
        value: fact.recordNumber,
      },
    ],
    active: true,
    telecom: [phone(fact.phone, 'home')],
    gender: fact.gender,
    birthDate: fact.birthDate,
    address: [{ use: 'home' as const, ...address(fact.address) }],
    maritalStatus: fact.married
      ? coded(hl7VersionSystem(release, 'v3', 'MaritalStatus'), 'M', 'Married')
      : coded(hl7VersionSystem(release, 'v3', 'MaritalStatus'), 'S', 'Never Married'),
    communication: [{ language: coded('urn:ietf:bcp:47', 'en-US', 'English (United States)'), preferred: true }],
    managingOrganization: reference('Organization', fact.organizationId),
  };
  const practitioner = [reference('Practitioner', fact.practitionerId)];
  if (release === 'dstu2')
    return { ...common, name: [dstu2Name(fact.name)], careProvider: practitioner } satisfies R2.Patient;
  const since: R3.Patient & R4.Patient = { ...common, name: [name(fact.name)], generalPractitioner: practitioner };
  return since;
}

/** A RelatedPerson. */
export function relatedPerson(fact: RelatedPersonFact, patientId: string, release: Release): object {
  const common = {
    resourceType: 'RelatedPerson' as const,
    id: fact.id,
    meta: meta(fact),
    patient: reference('Patient', patientId),
    telecom: [phone(fact.phone, 'home')],
    gender: fact.gender,
  };
  const relationship = coded(
    hl7VersionSystem(release, 'v3', 'RoleCode'),
    fact.relationship.code,
    fact.relationship.display,
  );
  if (release === 'dstu2') return { ...common, relationship, name: dstu2Name(fact.name) } satisfies R2.RelatedPerson;
  if (release === 'stu3')
    return { ...common, active: true, relationship, name: [name(fact.name)] } satisfies R3.RelatedPerson;
  return { ...common, active: true, relationship: [relationship], name: [name(fact.name)] } satisfies R4.RelatedPerson;
}

/** A Practitioner. */
export function practitioner(fact: PractitionerFact, release: Release): object {
  const common = {
    resourceType: 'Practitioner' as const,
    id: fact.id,
    meta: meta(fact),
    identifier: [{ system: 'http://hl7.org/fhir/sid/us-npi', value: fact.npi }],
    active: true,
    gender: fact.gender,
  };
  if (release === 'dstu2') {
    const role = coded(hl7System(release, 'practitioner-role'), 'doctor', 'Doctor');
    return {
      ...common,
      name: dstu2Name(fact.name),
      practitionerRole: [{ managingOrganization: reference('Organization', fact.organizationId), role }],
    } satisfies R2.Practitioner;
  }
  const since: R3.Practitioner & R4.Practitioner = { ...common, name: [name(fact.name)] };
  return since;
}
