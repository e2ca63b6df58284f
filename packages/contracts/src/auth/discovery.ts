import { z } from 'zod';
import { signingAlgorithms } from './public';

/**
 * Response of `/.well-known/smart-configuration` below a FHIR base
 * (https://hl7.org/fhir/smart-app-launch/conformance.html#metadata). There is no authorization endpoint: codes come
 * from user management, and have no PKCE challenge.
 */
export const smartConfiguration = z
  .object({
    issuer: z.string(),
    token_endpoint: z.string(),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    token_endpoint_auth_signing_alg_values_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    revocation_endpoint: z.string(),
    introspection_endpoint: z.string(),
    code_challenge_methods_supported: z.array(z.string()).describe('Empty: codes have no challenge.'),
    capabilities: z.array(z.string()),
  })
  .meta({ id: 'SmartConfiguration' });
export type SmartConfiguration = z.infer<typeof smartConfiguration>;

/**
 * The SMART configuration of a FHIR base.
 * @param authUrl the issuer of the tokens
 */
export function smartConfigurationOf(
  authUrl: string,
  { grantTypes, scopes, capabilities }: { grantTypes: string[]; scopes: string[]; capabilities: string[] },
): SmartConfiguration {
  return {
    issuer: authUrl,
    token_endpoint: `${authUrl}/oauth2/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: [...signingAlgorithms],
    grant_types_supported: grantTypes,
    scopes_supported: scopes,
    revocation_endpoint: `${authUrl}/oauth2/revoke`,
    introspection_endpoint: `${authUrl}/oauth2/introspect`,
    code_challenge_methods_supported: [],
    capabilities: ['client-confidential-symmetric', 'client-confidential-asymmetric', ...capabilities],
  };
}

/** Response of `/.well-known/oauth-protected-resource/…` (RFC 9728, section 2). */
export const protectedResourceMetadata = z
  .object({
    resource: z.string().describe('The URL of the resource.'),
    authorization_servers: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    bearer_methods_supported: z.array(z.literal('header')),
    resource_name: z.string(),
  })
  .meta({ id: 'ProtectedResourceMetadata' });
export type ProtectedResourceMetadata = z.infer<typeof protectedResourceMetadata>;

/**
 * The endpoints of the authorization server in the security of a CapabilityStatement. There is no `authorize`.
 * @see https://hl7.org/fhir/smart-app-launch/1.0.0/conformance/index.html
 */
export function oauthUris(authUrl: string): { url: string; extension: { url: string; valueUri: string }[] } {
  return {
    url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
    extension: [
      { url: 'token', valueUri: `${authUrl}/oauth2/token` },
      { url: 'revoke', valueUri: `${authUrl}/oauth2/revoke` },
      { url: 'introspect', valueUri: `${authUrl}/oauth2/introspect` },
    ],
  };
}
