import { decodeJwt } from 'jose';

interface PatientClaims {
  fhirUser?: unknown;
  profile?: unknown;
}

/**
 * The id of the patient of a token response: its `patient` (SMART launch context), or else the Patient that the
 * id_token names as the user. The id_token comes directly from the token endpoint over TLS, so its signature need not
 * be verified (OpenID Connect Core, section 3.1.3.7, item 6).
 * @see https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html
 */
export function patientIdFromToken({
  patient,
  id_token,
}: {
  patient?: string | undefined;
  id_token?: string | undefined;
}): string | undefined {
  if (patient) return patient.replace(/^Patient\//, '');
  const { fhirUser, profile } = claimsOf(id_token);
  const user = typeof fhirUser === 'string' ? fhirUser : profile;
  return typeof user === 'string' ? /(?:^|\/)Patient\/([A-Za-z0-9.-]{1,64})$/.exec(user)?.[1] : undefined;
}

function claimsOf(idToken: string | undefined): PatientClaims {
  if (idToken === undefined) return {};
  try {
    return decodeJwt<PatientClaims>(idToken);
  } catch {
    return {};
  }
}
