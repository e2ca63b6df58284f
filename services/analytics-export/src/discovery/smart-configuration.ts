import { type SmartConfiguration, smartConfiguration } from '@tributary/contracts';
import { type Api, anyone } from '@tributary/service-kit';

/** Serves `.well-known/smart-configuration` at the root of {analytics_url}: where tokens come from. */
export function serveSmartConfiguration(api: Api, authUrl: string): void {
  const configuration: SmartConfiguration = {
    issuer: authUrl,
    token_endpoint: `${authUrl}/oauth2/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ['RS384', 'ES384'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    scopes_supported: ['user', 'system/*.read', 'system/*.rs'],
    revocation_endpoint: `${authUrl}/oauth2/revoke`,
    introspection_endpoint: `${authUrl}/oauth2/introspect`,
    code_challenge_methods_supported: ['S256'],
    capabilities: ['client-confidential-symmetric', 'client-confidential-asymmetric', 'permission-v1', 'permission-v2'],
  };
  api.route(
    {
      method: 'get',
      path: '/.well-known/smart-configuration',
      operationId: 'smartConfiguration',
      summary: 'Where clients get their tokens',
      tags: ['Discovery'],
      authentication: anyone,
      responses: { 200: { description: 'SMART configuration.', schema: smartConfiguration } },
    },
    () => configuration,
  );
}
