import { type AuthorizationServerMetadata, authorizationServerMetadata, userScope } from '@tributary/contracts';
import { type Api, anyone } from '@tributary/service-kit';
import { signingAlgorithms } from '../assertions/key-set';
import { systemScopes } from './system-scopes';
import { clientCredentials } from './system-token-grant';
import { grantTypes } from './token-grants';

const clientAuthentication = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];

/** The address of the token endpoint: the audience of client assertions, also of those for the other endpoints. */
export function tokenEndpoint(issuer: string): string {
  return `${issuer}/oauth2/token`;
}

/** `GET /.well-known/oauth-authorization-server` (RFC 8414). There is no authorization endpoint: user management gives the codes. */
export function serveServerMetadata(api: Api, issuer: string): Api {
  const metadata: AuthorizationServerMetadata = {
    issuer,
    token_endpoint: tokenEndpoint(issuer),
    token_endpoint_auth_methods_supported: clientAuthentication,
    token_endpoint_auth_signing_alg_values_supported: [...signingAlgorithms],
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_signing_alg_values_supported: [...signingAlgorithms],
    introspection_endpoint: `${issuer}/oauth2/introspect`,
    introspection_endpoint_auth_methods_supported: clientAuthentication,
    introspection_endpoint_auth_signing_alg_values_supported: [...signingAlgorithms],
    grant_types_supported: [...grantTypes, clientCredentials],
    response_types_supported: ['code'],
    scopes_supported: [userScope, ...systemScopes],
    service_documentation: `${issuer}/docs`,
  };
  return api.route(
    {
      method: 'get',
      path: '/.well-known/oauth-authorization-server',
      operationId: 'describeServer',
      summary: 'What this authorization server can do and where',
      tags: ['discovery'],
      authentication: anyone,
      responses: { 200: { description: 'The metadata.', schema: authorizationServerMetadata } },
    },
    () => metadata,
  );
}
