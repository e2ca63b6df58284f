import { RenamedPatient } from './renamed-patient';
import { scenariosOf, type Hook } from './scenario';

const negativeId = '-20140000008325';

/** Sends another `patient` in token responses; undefined: none. */
function patientAs(write: (id: string, base: string) => unknown): Hook<'tokenResponse'> {
  return ({ patient, ...response }, { base }) => ({ ...response, patient: write(String(patient), base) });
}

/** The patient, and the user, that token responses name. */
export const launchContext = scenariosOf('Launch context', {
  'patient-absent': {
    description: 'Issues tokens without a patient.',
    tokens: { user: 'nobody' },
  },
  'user-practitioner': {
    description: 'Signs in a practitioner: the fhirUser is no Patient, and the token has no patient.',
    tokens: { user: 'Practitioner' },
  },
  'user-related-person': {
    description:
      'Signs in a relative (proxy) of the patient: the fhirUser is a RelatedPerson, and the token has no patient.',
    tokens: { user: 'RelatedPerson' },
  },
  'patient-url': {
    description: 'Names the patient by a URL.',
    tokenResponse: patientAs((id, base) => `${base}/Patient/${id}`),
  },
  'patient-reference': {
    description: 'Names the patient by a reference.',
    tokenResponse: patientAs((id) => `Patient/${id}`),
  },
  'patient-versioned': {
    description: 'Names the patient by a URL with a version.',
    tokenResponse: patientAs((id, base) => `${base}/Patient/${id}/_history/3`),
  },
  'patient-several': {
    description: 'Names two patients in an array.',
    tokenResponse: patientAs((id) => [id, 'another']),
  },
  'fhir-user-versioned': {
    description: 'Names the patient only as fhirUser of the id_token, with a version.',
    tokens: { otherUser: (patientId) => `Patient/${patientId}/_history/3` },
    tokenResponse: patientAs(() => undefined),
  },
  'local-patient-id': {
    description: 'Names the patient only in the access token, a JWT with the claim local_patient_id.',
    tokens: { user: 'nobody', accessTokenClaims: (patient) => ({ local_patient_id: patient }) },
  },
  'patient-id-negative': {
    description: 'Has a Patient whose id is a negative number.',
    record: (record) => new RenamedPatient(record, negativeId),
    tokens: { otherUser: () => `Patient/${negativeId}` },
    tokenResponse: patientAs(() => negativeId),
  },
});
