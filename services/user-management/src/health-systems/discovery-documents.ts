import { z } from 'zod';
import { type AuthorizationServer, parseJson } from './authorization-server';

/** Optional lists are only hints: an invalid list counts as absent. */
const texts = z.array(z.string()).optional().catch(undefined);

const smartConfiguration = z.object({
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
  const { data } = smartConfiguration.safeParse(parseJson(text));
  return (
    data && {
      authorizationEndpoint: data.authorization_endpoint,
      tokenEndpoint: data.token_endpoint,
      revocationEndpoint: data.revocation_endpoint,
      userinfoEndpoint: data.userinfo_endpoint,
      issuer: data.issuer,
      scopesSupported: data.scopes_supported,
      capabilities: data.capabilities,
      authMethods: data.token_endpoint_auth_methods_supported,
      signingAlgorithms: data.token_endpoint_auth_signing_alg_values_supported,
    }
  );
}

const extension = z.object({ url: z.string(), valueUri: z.string().optional().catch(undefined) });
const oauthUris = z.object({
  url: z.string().regex(/\/StructureDefinition\/oauth-uris$/),
  extension: z.array(extension),
});
const statement = z.object({
  rest: z.array(
    z.object({
      security: z
        .object({ extension: z.array(z.unknown()) })
        .optional()
        .catch(undefined),
    }),
  ),
});

/**
 * Reads the `oauth-uris` extension of a CapabilityStatement, or of a Conformance in DSTU2.
 * @see https://hl7.org/fhir/smart-app-launch/1.0.0/conformance/
 * @returns undefined when it does not name both endpoints
 */
export function readConformanceStatement(text: string): AuthorizationServer | undefined {
  const parsed = statement.safeParse(parseJson(text));
  if (!parsed.success) return undefined;
  for (const { security } of parsed.data.rest) {
    for (const candidate of security?.extension ?? []) {
      const uris = oauthUris.safeParse(candidate);
      if (!uris.success) continue;
      const uri = (name: string): string | undefined => uris.data.extension.find(({ url }) => url === name)?.valueUri;
      const authorizationEndpoint = uri('authorize');
      const tokenEndpoint = uri('token');
      if (authorizationEndpoint && tokenEndpoint)
        return { authorizationEndpoint, tokenEndpoint, revocationEndpoint: uri('revoke') };
    }
  }
  return undefined;
}
