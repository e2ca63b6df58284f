import { type SmartConfiguration, exportPath, signingAlgorithms, smartConfiguration } from '@tributary/contracts';
import { type Api, anyone } from '@tributary/service-kit';

const wellKnown = '/.well-known/smart-configuration';

/**
 * Serves where tokens come from: below the base of the FHIR API, where SMART App Launch has clients look, and at the
 * root of {analytics_url}.
 */
export function serveSmartConfiguration(api: Api, authUrl: string): void {
  const configuration: SmartConfiguration = {
    issuer: authUrl,
    token_endpoint: `${authUrl}/oauth2/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: [...signingAlgorithms],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    scopes_supported: ['user', 'system/*.read', 'system/*.rs'],
    revocation_endpoint: `${authUrl}/oauth2/revoke`,
    introspection_endpoint: `${authUrl}/oauth2/introspect`,
    code_challenge_methods_supported: ['S256'],
    capabilities: ['client-confidential-symmetric', 'client-confidential-asymmetric', 'permission-v1', 'permission-v2'],
  };
  const addresses = [
    ['smartConfiguration', exportPath.replace('/$export', wellKnown)],
    ['smartConfigurationOfRoot', wellKnown],
  ] as const;
  for (const [operationId, path] of addresses) {
    api.route(
      {
        method: 'get',
        path,
        operationId,
        summary: 'The SMART configuration, with the token endpoint of clients',
        tags: ['Discovery'],
        authentication: anyone,
        responses: { 200: { description: 'SMART configuration.', schema: smartConfiguration } },
      },
      () => configuration,
    );
  }
}
