import {
  type AuthorizationServerMetadata,
  authorizationServerMetadata,
  signingAlgorithms,
  userScopes,
} from '@tributary/contracts';
import { type Api, anyone } from '@tributary/service-kit';
import { systemScopes } from './token-endpoint/system-scopes';
import { grantTypes } from './token-endpoint/token-endpoint';

const clientAuthenticationMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];

/** URL of the token endpoint. Client assertions can name it as audience at every endpoint, as they can the issuer. */
export function tokenEndpoint(issuer: string): string {
  return `${issuer}/oauth2/token`;
}

/**
 * `GET /.well-known/oauth-authorization-server`. There is no authorization endpoint: user management requests the codes
 * over the internal API.
 * @see https://www.rfc-editor.org/rfc/rfc8414
 */
export function serveServerMetadata(api: Api, issuer: string): Api {
  const metadata: AuthorizationServerMetadata = {
    issuer,
    token_endpoint: tokenEndpoint(issuer),
    token_endpoint_auth_methods_supported: clientAuthenticationMethods,
    token_endpoint_auth_signing_alg_values_supported: [...signingAlgorithms],
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    revocation_endpoint_auth_methods_supported: clientAuthenticationMethods,
    revocation_endpoint_auth_signing_alg_values_supported: [...signingAlgorithms],
    introspection_endpoint: `${issuer}/oauth2/introspect`,
    introspection_endpoint_auth_methods_supported: clientAuthenticationMethods,
    introspection_endpoint_auth_signing_alg_values_supported: [...signingAlgorithms],
    grant_types_supported: grantTypes,
    // The member is required, and there is no authorization endpoint that could respond.
    response_types_supported: [],
    scopes_supported: [...userScopes, ...systemScopes],
  };
  return api.route(
    {
      method: 'get',
      path: '/.well-known/oauth-authorization-server',
      operationId: 'describeServer',
      summary: 'Authorization server metadata',
      tags: ['Discovery'],
      authentication: anyone,
      responses: { 200: { description: 'The metadata.', schema: authorizationServerMetadata } },
    },
    () => metadata,
  );
}
