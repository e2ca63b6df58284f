import { storedResource, type StoredResource } from '../../records/stored-resource';
import type { Release } from '../../releases';
import type { History } from '../facts';
import { allergyIntolerance, condition } from './condition';
import { binary, documentReference } from './document';
import { encounter } from './encounter';
import { medication, medicationStatement, prescription } from './medication';
import { diagnosticReport, observation } from './observation';
import { patient, practitioner, relatedPerson } from './people';
import { location, organization } from './locations';
import { immunization, procedure } from './treatment';

/** Renders a history as the resources of one release. */
export function resourcesOfHistory(history: History, release: Release): StoredResource[] {
  const id = history.patient.id;
  const resources: object[] = [
    patient(history.patient, release),
    ...history.organizations.map((fact) => organization(fact, release)),
    ...history.locations.map((fact) => location(fact, release)),
    ...history.practitioners.map((fact) => practitioner(fact, release)),
    ...history.medications.map((fact) => medication(fact)),
    ...history.relatedPersons.map((fact) => relatedPerson(fact, id, release)),
    ...history.encounters.map((fact) => encounter(fact, id, release)),
    ...history.conditions.map((fact) => condition(fact, id, release)),
    ...history.allergies.map((fact) => allergyIntolerance(fact, id, release)),
    ...history.observations.map((fact) => observation(fact, id, release)),
    ...history.reports.map((fact) => diagnosticReport(fact, id, release)),
    ...history.procedures.map((fact) => procedure(fact, id, release)),
    ...history.prescriptions.map((fact) => prescription(fact, id, release)),
    ...history.medicationStatements.map((fact) => medicationStatement(fact, id, release)),
    ...history.immunizations.map((fact) => immunization(fact, id, release)),
    ...history.documents.flatMap((fact) => [documentReference(fact, id, release), binary(fact, release)]),
  ];
  return resources.map(storedOf);
}

/** A generated resource, ready for serving. */
export function storedOf(resource: object): StoredResource {
  return storedResource(JSON.stringify(resource), 0)!;
}
