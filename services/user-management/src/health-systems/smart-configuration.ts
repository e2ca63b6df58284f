import { z } from 'zod';
import { type AuthorizationServer, parseJson } from './authorization-server';

/** Optional lists are only hints: an invalid list counts as absent. */
const texts = z.array(z.string()).optional().catch(undefined);

const document = z.object({
  authorization_endpoint: z.string().min(1),
  token_endpoint: z.string().min(1),
  issuer: z.string().optional().catch(undefined),
  revocation_endpoint: z.string().min(1).optional().catch(undefined),
  userinfo_endpoint: z.string().min(1).optional().catch(undefined),
  scopes_supported: texts,
  capabilities: texts,
  token_endpoint_auth_methods_supported: texts,
  token_endpoint_auth_signing_alg_values_supported: texts,
});

/**
 * Reads `.well-known/smart-configuration`.
 * @returns undefined when it does not name both endpoints
 * @see https://hl7.org/fhir/smart-app-launch/conformance.html
 */
export function readSmartConfiguration(text: string): AuthorizationServer | undefined {
  const parsed = document.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  return {
    authorizationEndpoint: parsed.data.authorization_endpoint,
    tokenEndpoint: parsed.data.token_endpoint,
    revocationEndpoint: parsed.data.revocation_endpoint,
    userinfoEndpoint: parsed.data.userinfo_endpoint,
    issuer: parsed.data.issuer,
    scopesSupported: parsed.data.scopes_supported,
    capabilities: parsed.data.capabilities,
    authMethods: parsed.data.token_endpoint_auth_methods_supported,
    signingAlgorithms: parsed.data.token_endpoint_auth_signing_alg_values_supported,
  };
}
