import type { Scenario } from '../scenario';

/** A scenario that sends another `patient` in token responses; undefined: none. */
function naming(name: string, does: string, patientOf: (id: string, base: string) => unknown): Scenario {
  return {
    name,
    area: 'Connecting',
    does,
    tokenResponse: ({ patient, ...response }, { base }) => ({ ...response, patient: patientOf(String(patient), base) }),
  };
}

export const patientUrl = naming('patient-url', 'Names the patient by a URL.', (id, base) => `${base}/Patient/${id}`);

export const patientReference = naming(
  'patient-reference',
  'Names the patient by a reference.',
  (id) => `Patient/${id}`,
);

export const patientVersioned = naming(
  'patient-versioned',
  'Names the patient by a URL with a version.',
  (id, base) => `${base}/Patient/${id}/_history/3`,
);

export const patientSeveral = naming('patient-several', 'Names two patients in an array.', (id) => [id, 'another']);

export const fhirUserVersioned: Scenario = {
  ...naming(
    'fhir-user-versioned',
    'Names the patient only as fhirUser of the id_token, with a version.',
    () => undefined,
  ),
  tokens: { userSuffix: '/_history/3' },
};

export const localPatientId: Scenario = {
  name: 'local-patient-id',
  area: 'Connecting',
  does: 'Names the patient only in the access token, a JWT with the claim local_patient_id.',
  tokens: { user: 'nobody', accessTokenClaims: (patient) => ({ local_patient_id: patient }) },
};
