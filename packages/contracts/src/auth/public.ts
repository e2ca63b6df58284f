import { z } from 'zod';
import { exampleValues } from '../examples';
import { clientId } from '../identifiers';
import { userScope } from './user-scope';

/**
 * The JWS algorithms (RFC 7518) of `private_key_jwt`: SMART App Launch 2.2,
 * https://hl7.org/fhir/smart-app-launch/client-confidential-asymmetric.html
 */
export const signingAlgorithms = ['RS384', 'ES384'] as const;
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** The `client_assertion_type` of RFC 7523, section 2.2. */
export const jwtBearerAssertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Response of `POST {auth_url}/oauth2/token` (RFC 6749, section 5.1). */
export const tokenResponse = z
  .object({
    access_token: z
      .string()
      .describe("Bearer token for the user's data.")
      .meta({ examples: [exampleValues.access_token] }),
    refresh_token: z
      .string()
      .describe('Can be exchanged once for a new pair of tokens.')
      .meta({ examples: [exampleValues.refresh_token] }),
    token_type: z.literal('Bearer'),
    expires_in: z
      .int()
      .describe('Seconds until the access token expires.')
      .meta({ examples: [7200] }),
    scope: z.string().meta({ examples: [userScope] }),
  })
  .meta({ id: 'TokenResponse' });
export type TokenResponse = z.infer<typeof tokenResponse>;

/**
 * Response to `grant_type=client_credentials` (SMART Backend Services): a token of the client itself, without a refresh
 * token.
 */
export const systemTokenResponse = tokenResponse
  .omit({ refresh_token: true })
  .extend({
    access_token: z
      .string()
      .describe("Bearer token for exports of the data of all of the client's users.")
      .meta({ examples: ['access-token-of-the-client'] }),
    scope: z.string().meta({ examples: ['system/*.rs'] }),
  })
  .meta({ id: 'SystemTokenResponse' });
export type SystemTokenResponse = z.infer<typeof systemTokenResponse>;

/** Response of `POST {auth_url}/oauth2/introspect` (RFC 7662, section 2.2). */
export const introspectionResponse = z
  .discriminatedUnion('active', [
    z.object({ active: z.literal(false) }),
    z.object({
      active: z.literal(true),
      client_id: clientId,
      sub: z.string().describe('The service_user_id as text, or the client_id for a token of the client itself.'),
      scope: z.string(),
      token_type: z.literal('Bearer').optional().describe('Only for access tokens.'),
      exp: z.int().describe('Seconds since the Unix epoch.'),
      iss: z.string(),
    }),
  ])
  .meta({ id: 'IntrospectionResponse' });
export type IntrospectionResponse = z.infer<typeof introspectionResponse>;

/** Response of `GET {auth_url}/.well-known/oauth-authorization-server` (RFC 8414, section 2). */
export const authorizationServerMetadata = z
  .object({
    issuer: z.string(),
    token_endpoint: z.string(),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    token_endpoint_auth_signing_alg_values_supported: z.array(z.string()),
    revocation_endpoint: z.string(),
    revocation_endpoint_auth_methods_supported: z.array(z.string()),
    revocation_endpoint_auth_signing_alg_values_supported: z.array(z.string()),
    introspection_endpoint: z.string(),
    introspection_endpoint_auth_methods_supported: z.array(z.string()),
    introspection_endpoint_auth_signing_alg_values_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    scopes_supported: z.array(z.string()),
  })
  .meta({ id: 'AuthorizationServerMetadata' });
export type AuthorizationServerMetadata = z.infer<typeof authorizationServerMetadata>;

/** The error body of the OAuth 2.0 endpoints (RFC 6749, section 5.2). */
export const oauthError = z
  .object({
    error: z
      .string()
      .describe('A code of RFC 6749, 7009 or 7662.')
      .meta({ examples: ['invalid_request'] }),
    error_description: z
      .string()
      .describe('A message that names the problem and never quotes a value of the request.')
      .meta({ examples: ['what is wrong'] }),
  })
  .meta({ id: 'OAuthError' });
