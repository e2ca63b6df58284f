import { exportPath, smartConfiguration, smartConfigurationOf, userScopes } from '@tributary/contracts';
import { type Api, anyone } from '@tributary/service-kit';

const wellKnown = '/.well-known/smart-configuration';

/**
 * Serves the SMART configuration, which names the token endpoint: below the base of the FHIR API, as SMART App Launch
 * specifies, and at the root of {analytics_url}.
 */
export function serveSmartConfiguration(api: Api, authUrl: string): void {
  const configuration = smartConfigurationOf(authUrl, {
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    scopes: [...userScopes, 'system/*.read', 'system/*.rs'],
    capabilities: ['permission-v1', 'permission-v2'],
  });
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
