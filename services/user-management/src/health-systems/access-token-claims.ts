import { decodeJwt } from 'jose';

/*
 * Claims that vendors put into access tokens, and what they give. The names are the vendors' own, so a claim is used
 * wherever it occurs.
 */

/** The id of the patient, where the token response names none: Veradigm (Allscripts). */
const patientIdClaim = 'local_patient_id';

/**
 * Parameters that every search requires, and how their values begin. At athenahealth it is the practice whose record is
 * searched, https://docs.athenahealth.com/api/.
 */
const searchParameters = [{ claim: 'ah_practice', parameter: 'ah-practice', prefix: 'Organization/' }];

const idPattern = /^[A-Za-z0-9._~:-]{1,128}$/;

/** The id of the patient that a claim of a vendor in the access token names. */
export function patientIdOfAccessToken(accessToken: string): string | undefined {
  return idOf(claimsOfJwt(accessToken)[patientIdClaim]);
}

/**
 * The parameters that every search with this access token requires, by name.
 * @returns the values in plain text; their slashes must not be percent-encoded in a URL
 */
export function searchParametersOfAccessToken(accessToken: string): Record<string, string> {
  const claims = claimsOfJwt(accessToken);
  return Object.fromEntries(
    searchParameters.flatMap(({ claim, parameter, prefix }) => {
      const id = idOf(claims[claim]);
      return id === undefined ? [] : [[parameter, prefix + id]];
    }),
  );
}

/**
 * The claims of a token; none when it is not a JWT. The token comes directly from the token endpoint over TLS, so its
 * signature need not be verified (OpenID Connect Core, section 3.1.3.7, item 6).
 */
export function claimsOfJwt(token: string | undefined): Record<string, unknown> {
  if (token === undefined) return {};
  try {
    return decodeJwt<Record<string, unknown>>(token);
  } catch {
    return {};
  }
}

function idOf(claim: unknown): string | undefined {
  const text = typeof claim === 'number' ? String(claim) : claim;
  return typeof text === 'string' && idPattern.test(text) ? text : undefined;
}
