import { type Release, isResourceType } from '@tributary/fhir-definitions';
import { FhirError } from '../fhir-http/fhir-error';
import { routeOf } from './routes';
import { renamedTypes } from './unknown-type';

function hintOf(release: Release, path: string): string {
  try {
    routeOf(release, 'GET', path.split('/'));
  } catch (error) {
    if (!(error instanceof FhirError)) throw error;
    expect(error.status).toBe(404);
    return error.message.replace(/^this release of FHIR has no such resource type/, '');
  }
  return 'found';
}

const cases: [Release, string, string][] = [
  ['r4', 'MedicationOrder', '; MedicationOrder is a type of dstu2; in r4 it is MedicationRequest'],
  ['stu3', 'MedicationOrder/1', '; MedicationOrder is a type of dstu2; in stu3 it is MedicationRequest'],
  ['r4', 'DiagnosticOrder', '; DiagnosticOrder is a type of dstu2; in r4 it is ServiceRequest'],
  ['r4', 'ProcedureRequest', '; ProcedureRequest is a type of dstu2 and stu3; in r4 it is ServiceRequest'],
  ['r4', 'ReferralRequest', '; ReferralRequest is a type of dstu2 and stu3; in r4 it is ServiceRequest'],
  ['r4', 'DeviceUseRequest', '; DeviceUseRequest is a type of dstu2; in r4 it is DeviceRequest'],
  ['dstu2', 'MedicationRequest', '; MedicationRequest is a type of stu3 and r4; in dstu2 it is MedicationOrder'],
  [
    'dstu2',
    'ServiceRequest',
    '; ServiceRequest is a type of r4; in dstu2 it is DiagnosticOrder or ProcedureRequest or ReferralRequest',
  ],
  ['dstu2', 'CareTeam', '; CareTeam is a type of stu3 and r4'],
  ['r4', 'Patients', '; similar: Patient'],
  ['r4', 'patient', '; similar: Patient'],
  ['r4', 'PATIENT/1/_history', '; similar: Patient'],
  ['r4', 'Observtion', '; similar: Observation'],
  ['dstu2', 'MedicationOrders', '; similar: MedicationOrder'],
  ['r4', 'Nothing', ''],
  ['r4', 'X', ''],
  ['r4', 'Patient<script>', ''],
  ['r4', 'P'.repeat(100_000), ''],
];

it.each(cases)('%s/%s names the type that is meant', (release, path, hint) => {
  expect(hintOf(release, path)).toBe(hint);
});

it.each(renamedTypes)('$dstu2, $stu3, $r4: each is a type of its release', (names) => {
  for (const [release, name] of Object.entries(names)) expect(isResourceType(release as Release, name)).toBe(true);
});
