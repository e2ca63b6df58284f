import { claimsOfJwt, patientIdOfAccessToken } from './access-token-claims';
import type { TokenResponse } from './token-endpoint';

/**
 * The id of the patient of a token response: its `patient` (SMART launch context), or else the Patient that the
 * id_token names as the user, or else a claim of a vendor in the access token. Some systems send a reference or a URL
 * instead of an id, also with a version.
 * @returns undefined when no patient is named; also when `patient` is there but names none, as an array of several
 * patients: to choose one could give the user the record of another person
 * @see https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html
 */
export function patientIdFromToken({
  patient,
  id_token,
  access_token,
}: Partial<Pick<TokenResponse, 'patient' | 'id_token' | 'access_token'>>): string | undefined {
  if (patient !== undefined && patient !== null && patient !== '') return patientIdOf(patient);
  const { fhirUser, profile } = claimsOfJwt(id_token);
  const user = typeof fhirUser === 'string' ? fhirUser : profile;
  return (
    (typeof user === 'string' ? idOfReference(user) : undefined) ??
    (access_token === undefined ? undefined : patientIdOfAccessToken(access_token))
  );
}

/** @param patient an id, or a reference or URL of a Patient */
function patientIdOf(patient: unknown): string | undefined {
  if (typeof patient === 'number') return String(patient);
  if (typeof patient !== 'string') return undefined;
  const text = patient.trim();
  return text.includes('/') ? idOfReference(text) : text || undefined;
}

/** The id in `Patient/{id}` or `https://…/Patient/{id}`, with or without `/_history/{version}`. */
function idOfReference(reference: string): string | undefined {
  const id = /(?:^|\/)Patient\/([^/?#\s]{1,128})(?:\/_history\/[^/?#\s]+)?\/?(?:[?#].*)?$/.exec(reference.trim())?.[1];
  try {
    return id === undefined ? undefined : decodeURIComponent(id);
  } catch {
    return undefined;
  }
}
