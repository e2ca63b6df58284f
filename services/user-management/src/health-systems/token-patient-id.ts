import { claimsOfJwt, patientIdOfAccessToken } from './access-token-claims';
import type { TokenResponse } from './token-client';

/**
 * The id of the patient of a token response: its `patient` (SMART launch context), or else the Patient that the
 * id_token names as the user, or else a claim of a vendor in the access token. Some systems send a reference or a URL
 * instead of an id, also with a version.
 * @returns undefined when no patient is named; also when `patient` is there but names none, as an array of several
 * patients: to choose one could give the user the record of another person
 * @see https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html
 */
export function patientIdFromToken({ patient, id_token, access_token }: NamingTokens): string | undefined {
  if (isNamed(patient)) return patientIdOf(patient);
  return (
    userOf(claimsOfJwt(id_token)) ?? (access_token === undefined ? undefined : patientIdOfAccessToken(access_token))
  );
}

/**
 * Whether a token response says whose it is, but names no single Patient: several patients, or a user who is a
 * practitioner or a relative.
 */
export function namesNoSinglePatient(tokens: NamingTokens): boolean {
  return (
    patientIdFromToken(tokens) === undefined && (isNamed(tokens.patient) || isOtherUser(claimsOfJwt(tokens.id_token)))
  );
}

/** Whether claims name a user who is no Patient. */
export function isOtherUser({ fhirUser, profile }: Record<string, unknown>): boolean {
  return [fhirUser, profile].some(
    (user) => typeof user === 'string' && /(?:^|\/)(?:Practitioner|PractitionerRole|RelatedPerson|Person)\//.test(user),
  );
}

/**
 * The id of the patient of a userinfo response (OpenID Connect Core, section 5.3): its `patient`, which some systems
 * add, or else the Patient whom it names as the user.
 */
export function patientIdOfUserinfo(claims: Record<string, unknown>): string | undefined {
  return isNamed(claims['patient']) ? patientIdOf(claims['patient']) : userOf(claims);
}

type NamingTokens = Partial<Pick<TokenResponse, 'patient' | 'id_token' | 'access_token'>>;

function isNamed(patient: unknown): boolean {
  return patient !== undefined && patient !== null && patient !== '';
}

/** The Patient whom claims name as the user. A bare `sub` names an account. */
function userOf({ fhirUser, profile, sub }: Record<string, unknown>): string | undefined {
  return [fhirUser, profile, sub].flatMap((user) => (typeof user === 'string' ? (idOfReference(user) ?? []) : []))[0];
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
