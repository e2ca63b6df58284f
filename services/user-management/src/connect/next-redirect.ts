import { createHash } from 'node:crypto';
import type { Registrations } from '../health-systems/registrations';
import { unlessInactive } from '../users/user-keys';
import { clientAddress, withParameters } from './redirect-urls';
import { type Attempts, attemptLifetimeSeconds, secret } from './pending-authorizations';
import type { BrowserCookie } from './browser-cookie';
import type { Journey } from './connect-session';
import { scopesToAsk } from './scopes';

/** Where the browser goes next, and the cookies it gets. */
export interface Step {
  location: string;
  cookies: string[];
}

export interface StepDependencies {
  attempts: Attempts;
  registrations: Registrations;
  cookie: BrowserCookie;
  /** Our redirect_uri, as health systems know it. */
  callbackUrl: string;
}

/** To the health system when an authorization remains to be asked for, else back to the client. */
export async function nextStep(
  { attempts, registrations, cookie, callbackUrl }: StepDependencies,
  journey: Journey,
): Promise<Step> {
  const [leg, ...remaining] = journey.remaining;
  const base = leg?.endpoints[0]?.fhir_base_url;
  if (!leg || base === undefined) return { location: clientAddress(journey), cookies: [] };
  const client = await registrations.find(base);
  if (!client)
    return {
      location: clientAddress({ ...journey, firstError: journey.firstError ?? 'health_system_not_registered' }),
      cookies: [],
    };
  const codeVerifier = secret();
  const scope = scopesToAsk({
    releases: leg.endpoints.map(({ fhirVersion }) => fhirVersion),
    supported: leg.scopesSupported,
    registered: client.scopes,
    form: leg.scopeForm,
  });
  const begun = await unlessInactive(() => attempts.begin({ ...journey, remaining }, leg, codeVerifier, scope));
  if (!begun) return { location: clientAddress({ ...journey, firstError: 'user_inactive' }), cookies: [] };
  const { state, browserSecret } = begun;
  const location = withParameters(leg.authorizationEndpoint, {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: callbackUrl,
    scope,
    state,
    aud: base,
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...journey.hints,
  });
  return { location, cookies: [cookie.set(state, browserSecret, attemptLifetimeSeconds)] };
}
