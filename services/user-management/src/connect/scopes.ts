import { type FhirVersion, requestedTypes } from '@tributary/contracts';

const launchScopes = ['launch/patient', 'openid', 'fhirUser', 'offline_access'];

export interface ScopeChoice {
  releases: readonly FhirVersion[];
  /** `scopes_supported` of the SMART configuration; most DSTU2 and many other systems have none. */
  supported?: readonly string[] | undefined;
  /** The scopes that our registration prescribes; they replace all others. */
  registered?: string | undefined;
  /** `per_type` after the health system rejected the wildcard. */
  form: 'wildcard' | 'per_type';
}

/**
 * The `scope` of an authorization request: sign-in, the patient, a refresh token, and read access to all resource
 * types, in the syntax (SMART v1 `.read` or v2 `.rs`) that the health system announces.
 * @see https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html
 */
export function scopesToRequest({ releases, supported = [], registered, form }: ScopeChoice): string {
  if (registered) return registered;
  const wildcard = ['patient/*.read', 'patient/*.rs'].find((scope) => supported.includes(scope));
  const announced = supported.filter((scope) => /^patient\/[A-Z][A-Za-z]*\.(read|rs)$/.test(scope));
  if (form === 'wildcard' && (wildcard || announced.length === 0))
    return [...launchScopes, wildcard ?? 'patient/*.read'].join(' ');
  return [...launchScopes, ...(announced.length > 0 ? announced : everyTypeOf(releases))].join(' ');
}

function everyTypeOf(releases: readonly FhirVersion[]): string[] {
  const types = new Set(releases.flatMap(requestedTypes));
  return [...types].sort().map((type) => `patient/${type}.read`);
}
